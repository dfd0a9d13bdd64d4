/** A flag, or a command in backticks. */
const TYPED = /(^|[\s`])--[a-z]|`nearmiss /;

/** What somebody at a page can follow of a hint for the command line: parts of it that have to be typed there are left out. */
export function hintForPages(hint: string): string | undefined {
  const parts = hint.split('; ').filter((part) => !TYPED.test(part));
  return parts.length > 0 ? parts.join('; ') : undefined;
}
