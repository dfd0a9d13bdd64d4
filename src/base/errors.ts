/**
 * An error whose message is meant for the person at the keyboard: what is wrong, where, what was
 * expected and what was got. `hint` says what to do about it. The CLI prints both without a stack trace.
 *
 * @example
 * throw new NearmissError('corpus.jsonl:7: field "text": expected a string, got a number', {
 *   hint: 'quote the value, or map another column with --text-field',
 * });
 */
export class NearmissError extends Error {
  readonly hint: string | undefined;

  constructor(message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.hint = options.hint;
  }
}

/** The command line itself is wrong (unknown flag, missing argument): exit code 2 instead of 1. */
export class UsageError extends NearmissError {}

/** Narrows an unknown `catch` value to a Node.js error with a code such as `ENOENT`. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** Names a value's type the way a person would: `null`, `an array`, `a number (7)`, `the text "seven"`. */
export function describe(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'string') return `the text ${JSON.stringify(shorten(value))}`;
  if (typeof value === 'object') return 'an object';
  return `a ${typeof value} (${String(value)})`;
}

/** Cuts a text for an error message. */
export function shorten(text: string, length = 60): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
