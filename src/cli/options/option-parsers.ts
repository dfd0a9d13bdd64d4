import { InvalidArgumentError } from 'commander';

/** Parses an option that is a whole number from `least`. */
export function wholeNumber(least: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value;
    throw new InvalidArgumentError(`Expected a whole number from ${least}.`);
  };
}

/** Parses an option that is a number from `least` to `most`. */
export function numberBetween(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Expected a number from ${least} to ${most}.`);
  };
}

/** Takes a text that says something. */
export function notBlank(text: string): string {
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError('Expected some words, got none.');
}

/** Parses numbers from `least` to `most` with commas between them. */
export function numbersBetween(least: number, most = Number.MAX_VALUE): (text: string) => number[] {
  return (text) => {
    const values = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
    if (values.every((value) => value >= least && value <= most)) return values;
    const range = most === Number.MAX_VALUE ? `from ${least}` : `from ${least} to ${most}`;
    throw new InvalidArgumentError(`Expected numbers ${range} with commas between them, such as 1,0.5.`);
  };
}

/** Parses texts with commas between them. */
export function list(text: string): string[] {
  return text.split(',').map((part) => part.trim());
}

/** Gathers an option that may be repeated; each may hold several words. */
export function words(text: string, before: string[] = []): string[] {
  return [...before, ...text.split(/\s+/).filter((word) => word !== '')];
}

/** Gathers an option that may be repeated, as it is. */
export function repeated(text: string, before: string[] = []): string[] {
  return [...before, text];
}
