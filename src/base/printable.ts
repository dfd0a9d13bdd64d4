/**
 * What can make a terminal do something (C0, DEL and C1: colours, titles, the cursor, in some even keystrokes), or show
 * a text in another order than it is written (overrides and isolates of direction).
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROLS = /[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

/**
 * A text of somebody else's as one line for a terminal: what is not to be printed is a blank, so that places in the
 * text stay what they are.
 */
export function printable(text: string): string {
  return text.replace(CONTROLS, ' ');
}

/** The same for a text of several lines, with columns. */
export function printableLines(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(CONTROLS, (control) => (control === '\n' || control === '\t' ? control : ' '));
}

/** A value as JSON that can be printed, too: the characters that `JSON.stringify` leaves as they are become escapes. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(CONTROLS, (control) =>
    control === '\n' ? control : `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
