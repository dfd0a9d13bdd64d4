import { jsonText, printableLines } from '../base/printable.js';

// What the commands print. Texts of a collection, names of files and messages about them may hold anything; nothing of
// it reaches a terminal but characters to read. A test keeps commands from writing past these functions.

/** Prints for people. */
export function print(text: string): void {
  process.stdout.write(printableLines(text));
}

/** Prints a value for programs, which may be people all the same. */
export function printJson(value: unknown, indent?: number): void {
  process.stdout.write(`${jsonText(value, indent)}\n`);
}

/** Prints lines that programs read back, byte for byte unless a terminal would read them. Waits until they are taken. */
export function printData(text: string): Promise<void> {
  const shown = process.stdout.isTTY ? printableLines(text) : text;
  return new Promise((resolve) => process.stdout.write(shown, () => resolve()));
}

/** Prints what has colours of ours in it, and whose every other part went through `printable`. */
export function printStyled(text: string): void {
  process.stdout.write(text);
}

/** Tells on stderr what is worth knowing beside the result. */
export function tell(text: string): void {
  process.stderr.write(printableLines(text));
}
