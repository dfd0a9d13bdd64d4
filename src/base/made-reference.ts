/** How recipes name what an earlier stage made, where a file is expected: `stage:mined`. */
const REFERENCE = /^stage:(.+)$/;

/** The stage that makes what a recipe's file names; `undefined` where it names a file. */
export function madeBy(file: string): string | undefined {
  return REFERENCE.exec(file)?.[1];
}
