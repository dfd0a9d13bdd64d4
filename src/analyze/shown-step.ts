import { basename } from 'node:path';
import type { RunDirectory } from '../train/run-directory.js';
import { bestSoFar } from '../train/step-evaluation.js';
import { NotThereError } from './not-there.js';

/** Which checkpoint to show: the best or the newest whose index is there, or that of a step. */
export type WantedStep = 'best' | 'newest' | number;

/** The step of a checkpoint whose index is there. */
export async function shownStep(run: RunDirectory, wanted: WantedStep = 'best'): Promise<number> {
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
