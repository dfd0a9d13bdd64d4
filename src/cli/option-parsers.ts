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

/** Parses numbers with commas between them. */
export function numberList(text: string): number[] {
  const values = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (values.every(Number.isFinite)) return values;
  throw new InvalidArgumentError('Expected numbers with commas between them, such as 1,0.5.');
}

/** Gathers an option that may be repeated; each may hold several words. */
export function words(text: string, before: string[] = []): string[] {
  return [...before, ...text.split(/\s+/).filter((word) => word !== '')];
}

/** Gathers an option that may be repeated, as it is. */
export function repeated(text: string, before: string[]): string[] {
  return [...before, text];
}
