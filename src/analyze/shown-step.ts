import { basename } from 'node:path';
import { makesRows } from '../model/kinds.js';
import { readRunDescription } from '../run/run-description.js';
import type { RunDirectory } from '../run/run-directory.js';
import { bestSoFar } from '../run/step-evaluation.js';
import { NotThereError } from './not-there.js';

/** Which checkpoint to show: the best or the newest whose index is there, or that of a step. */
export type WantedStep = 'best' | 'newest' | number;

/** A cross-encoder scores pairs, and weights of words are in an index of words: there are no vectors to look at. */
export function noIndex(run: RunDirectory): NotThereError {
  return new NotThereError(`${basename(run.path)}: a model of its kind has no index of vectors to look at`, {
    hint: 'its training is shown by the Training page; `nearmiss analyze RUN --only curves` and `nearmiss report` show it, too; `nearmiss rerank` and `nearmiss compare` measure it on what another system found',
  });
}

/** The step of a checkpoint whose index is there. */
export async function shownStep(run: RunDirectory, wanted: WantedStep = 'best'): Promise<number> {
  const { recipe } = await readRunDescription(run);
  if (!makesRows(recipe.model.kind)) throw noIndex(run);
  const indexed = await run.steps('index');
  const best = wanted === 'best' ? (await bestSoFar(run))?.step : undefined;
  const step = typeof wanted === 'number' ? wanted : (best ?? indexed.at(-1));
  if (step !== undefined && indexed.includes(step)) return step;
  const there = indexed.length > 0 ? `there are those of ${indexed.join(', ')}` : undefined;
  throw new NotThereError(
    `${basename(run.path)}: no index of ${step === undefined ? 'any checkpoint yet' : `step ${step}`}`,
    { hint: there ?? 'wait until the Inferencer has encoded the collection once' },
  );
}
