import type { ENOUGH_QUESTIONS } from '../../adapt/prepare.js';
import { writeFileAtomic } from '../../base/files.js';
import type { Dataset } from '../../data/index.js';
import type { JUDGED_SPLIT } from '../../data/judged/judged-split.js';

// By their types alone: neither what adapts nor what reads collections is loaded before somebody asks for it.

/** From so many on they decide in the place of made queries. */
export const ENOUGH_MARKED: typeof ENOUGH_QUESTIONS = 50;
/** The split of what people marked. */
export const MARKED_SPLIT: typeof JUDGED_SPLIT = 'judged';

export interface MarkedQuestionsOptions {
  /** Where they are written. */
  file: string;
  /** Which of some documents are there: one that was marked may have been removed since. */
  present: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
}

/**
 * Writes queries whose hits people marked as right, for `nearmiss adapt` to be judged by.
 *
 * @returns the file; `undefined` where they are too few to decide anything
 */
export async function writeMarkedQuestions(
  dataset: Dataset,
  { file, present }: MarkedQuestionsOptions,
): Promise<string | undefined> {
  if (!(await dataset.splits()).includes(MARKED_SPLIT)) return undefined;
  const right = new Map<string, string[]>();
  for (const [query, grades] of await dataset.qrels(MARKED_SPLIT)) {
    right.set(
      query,
      [...grades].flatMap(([id, grade]) => (grade > 0 ? [id] : [])),
    );
  }
  const there = await present([...right.values()].flat());
  const lines: string[] = [];
  for await (const { id, text } of dataset.queries(MARKED_SPLIT)) {
    const document = (right.get(id) ?? []).filter((answer) => there.has(answer));
    if (document.length > 0) lines.push(JSON.stringify({ question: text, document }));
  }
  if (lines.length < ENOUGH_MARKED) return undefined;
  await writeFileAtomic(file, `${lines.join('\n')}\n`);
  return file;
}
