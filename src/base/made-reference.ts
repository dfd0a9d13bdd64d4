/** How recipes name what an earlier stage made, where a file is expected: `stage:mined`, or a file in it, `stage:labels/scores.trec`. */
const REFERENCE = /^stage:([^/]+)(?:\/([\w-][\w.-]*))?$/;

/** What a stage makes: all of its folder, or one file in it. */
export interface MadeReference {
  stage: string;
  file?: string;
}

/** The stage that makes what a recipe's file names, and where it is in its folder; `undefined` where it names a file. */
export function madeBy(file: string): MadeReference | undefined {
  const [, stage, inside] = REFERENCE.exec(file) ?? [];
  return stage === undefined ? undefined : { stage, ...(inside !== undefined && { file: inside }) };
}
