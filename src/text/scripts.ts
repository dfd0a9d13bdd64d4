const LETTERS = /\p{L}/gu;
const LATIN = /\p{Script=Latin}/gu;
/** As many characters of a text tell. */
const LOOKED_AT = 500;

/** Whether most letters of a text are of another script than the Latin one. */
export function isOtherScript(text: string): boolean {
  const beginning = text.slice(0, LOOKED_AT);
  const count = (pattern: RegExp): number => beginning.match(pattern)?.length ?? 0;
  return 2 * count(LATIN) < count(LETTERS);
}
