import { cp } from 'node:fs/promises';
import { hasCode } from '../../base/errors.js';
import { exists, writeDirectoryAtomic } from '../../base/files.js';
import { withWriteLock } from '../../base/lock/write-lock.js';
import { secondsSince } from '../../base/numbers/seconds-since.js';
import { writeDocumentIndex } from '../../index/write-documents.js';
import { madeWith } from '../../model/precision/precision.js';
import { indexScorer } from '../../model/representation/kinds.js';
import type { Recipe } from '../../recipe/recipe.js';
import { documentsStep, planRun } from '../../run/plan.js';
import { READ_ONLY_RUN } from '../../run/run-directory.js';
import type { CheckpointSearchOptions } from './checkpoint-search.js';
import { encodeDocuments } from './encode-documents.js';
import { keepIndex, keptStart, takeIndex } from './kept-start.js';

/** Seconds that encoding and indexing took. */
interface IndexSeconds {
  encode: number;
  index: number;
}

/**
 * Makes `index/step-N`, unless it is there. Documents that did not learn since another step with an index are not encoded
 * again, and where Trainer and Inferencer want the same index, one of them makes it. The start's may have been made by
 * another run or a search; else it is kept for them.
 */
export async function indexDocuments(step: number, options: CheckpointSearchOptions): Promise<IndexSeconds> {
  const { run } = options;
  const nothing = { encode: 0, index: 0 };
  const isThere = (): Promise<boolean> => exists(run.stepPath('index', step));
  if (await isThere()) return nothing;
  return withWriteLock(run.file('cache', `index-${step}.lock`), READ_ONLY_RUN, async () => {
    if ((await isThere()) || (await takeOver(step, options))) return nothing;
    const kept = step === 0 ? await keptStart(options) : undefined;
    if (kept !== undefined && (await takeIndex(kept, run.stepPath('index', step)))) return nothing;
    const seconds = await encodeAndIndex(step, options);
    if (kept !== undefined) await keepIndex(run.stepPath('index', step), kept);
    return seconds;
  });
}

/** Copies the index of another step with the same documents; not where there is none. */
async function takeOver(step: number, { run, recipe }: CheckpointSearchOptions): Promise<boolean> {
  const plan = planRun(recipe);
  const documents = documentsStep(plan, step);
  for (const other of (await run.steps('index')).reverse()) {
    if (documentsStep(plan, other) !== documents) continue;
    try {
      await writeDirectoryAtomic(run.stepPath('index', step), (folder) =>
        cp(run.stepPath('index', other), folder, { recursive: true }),
      );
      return true;
    } catch (error) {
      // The other process may just have removed it as too old.
      if (!hasCode(error, 'ENOENT')) throw error;
    }
  }
  return false;
}

async function encodeAndIndex(step: number, options: CheckpointSearchOptions): Promise<IndexSeconds> {
  const { run, recipe, data, session } = options;
  const started = performance.now();
  const { shards, offsets, remove, model, dimension, precision } = await encodeDocuments(step, options);
  const encode = secondsSince(started);
  const indexing = performance.now();
  const source = { offsets, blocks: shards, ids: data.documents.cache.idTable };
  await writeDocumentIndex(run.stepPath('index', step), source, {
    ...recipe.refresh.index,
    ...engineSettings(recipe),
    dimension,
    scorer: indexScorer(model.spec.head),
    model: madeWith(`step ${step}`, precision),
    // With several threads a graph depends on their timing, which a lockstep run must not.
    threads: recipe.refresh.mode === 'lockstep' ? 1 : session.threads,
    signal: options.signal,
  });
  await remove();
  return { encode, index: secondsSince(indexing) };
}

/** What is mined and measured is compared with every document unless the recipe says otherwise. */
function engineSettings({ refresh: { index } }: Recipe): { exact?: boolean } {
  return index.url === undefined ? {} : { exact: index.exact ?? true };
}
