import { join } from 'node:path';
import { z } from 'zod';
import { exists } from '../../base/files.js';
import { makeDirectory } from '../../base/folders/make-directory.js';
import { readJsonFile, writeJsonFile } from '../../base/json-file.js';
import type { OptionsOf } from '../../base/registry.js';
import { evaluate, findAnswerRanks } from '../../evaluate/index.js';
import { mixParameters } from '../../model/merge/mix-parameters.js';
import type { mergeKind } from '../../recipe/makers/merge-kind.js';
import { START_FOLDER } from '../../run/run-directory.js';
import { type EvaluationSet, evaluationSet } from '../../run/training-data.js';
import { trainedKinds } from '../model/kinds.js';
import type { TrainedModel } from '../model/trained-model.js';
import type { StageContext } from '../task/task.js';
import type { MakeContext } from './make-context.js';
import { poolOf } from './merge-pool.js';

type MergeOptions = OptionsOf<(typeof mergeKind)['options']>;

/** What the stage leaves in its folder: what each mix measured, and which was taken. */
const MERGE_FILE = 'merge.json';

const candidateSchema = z.object({ trained: z.number(), value: z.number() });

const mergeSchema = z.object({
  measure: z.string(),
  split: z.string(),
  queries: z.int(),
  /** How many documents were searched; all of them where the collection was not pooled. */
  documents: z.int(),
  candidates: z.array(candidateSchema),
  /** The share of the trained model in the mix that was taken. */
  trained: z.number(),
});

type Candidate = z.infer<typeof candidateSchema>;

/** Opens the maker `merge`: measures each mix and writes down which is best; {@link applyMerge} makes it. */
export async function makeMerge(options: MergeOptions, context: MakeContext): Promise<void> {
  const { run, data, recipe, folder, scratch, progress, events } = context;
  const { split, best, queries: limit } = recipe.evaluation;
  const queries = Math.min(...[options.queries, limit].filter((most) => most > 0));
  const dev = await evaluationSet(data, {
    split,
    limit: Number.isFinite(queries) ? queries : 0,
    seed: recipe.seed,
  });
  const kind = trainedKinds.get(recipe.model.kind);
  const pool =
    kind.indexes && options.pool > 0
      ? await poolOf(context, {
          dev,
          depth: options.pool,
          from: options.from,
          documents: options.documents,
        })
      : undefined;
  const candidates: Candidate[] = [];
  const shares = [...new Set(options.weights)].sort((a, b) => a - b);
  const start = await kind.load(run.file(START_FOLDER));
  const mixed = await kind.load(run.file(START_FOLDER));
  await makeDirectory(scratch);
  for (const [nth, trained] of shares.entries()) {
    // A process that goes on after a kill finds what was measured.
    const known = join(scratch, `mix-${trained}.json`);
    if (!(await exists(known))) {
      mix(mixed, { start, trained: context.model, share: trained });
      const value = await measure(mixed, context, {
        dev,
        pool,
        onProgress: (done, total) => progress(nth * total + done, shares.length * total),
      });
      await writeJsonFile(known, { trained, value });
    }
    candidates.push(await readJsonFile(known, candidateSchema));
  }
  const trained = bestOf(candidates).trained;
  const outcome: z.infer<typeof mergeSchema> = {
    measure: best,
    split,
    queries: dev.queries.length,
    documents: pool?.length ?? data.documents.count,
    candidates,
    trained,
  };
  await writeJsonFile(join(folder, MERGE_FILE), outcome);
  await events.write({ type: 'log', level: 'info', message: tell(outcome) });
}

/** Makes the run's model the mix that was best. */
export async function applyMerge(folder: string, { run, recipe, model }: StageContext): Promise<void> {
  const { trained } = await readJsonFile(join(folder, MERGE_FILE), mergeSchema);
  const start = await trainedKinds.get(recipe.model.kind).load(run.file(START_FOLDER));
  mix(model, { start, trained: model, share: trained });
}

function mix(
  target: TrainedModel,
  { start, trained, share }: { start: TrainedModel; trained: TrainedModel; share: number },
): void {
  mixParameters(target.parameters, [
    { parameters: start.parameters, weight: 1 - share },
    { parameters: trained.parameters, weight: share },
  ]);
}

async function measure(
  model: TrainedModel,
  { run, recipe, data, session, scratch, signal }: MakeContext,
  {
    dev,
    pool,
    onProgress,
  }: {
    dev: EvaluationSet;
    pool: Int32Array | undefined;
    onProgress: (done: number, total: number) => Promise<void>;
  },
): Promise<number> {
  const { best, split, depth } = recipe.evaluation;
  const rankings = await model.rankings({
    run,
    data,
    session,
    queries: dev.queries,
    k: depth,
    ...(pool && { documents: pool }),
    directory: join(scratch, 'encoded'),
    onProgress,
    signal,
  });
  const found = { tag: 'mix', rankings };
  const answerRanks = best.startsWith('Coverage')
    ? await findAnswerRanks(data.dataset, found, { depth, split })
    : undefined;
  return evaluate(found, dev.qrels, [best], { complete: true, answerRanks }).mean[best];
}

/** Of mixes that measure the same, the one that has more of the start: it keeps more of what the start knew. */
function bestOf(candidates: readonly Candidate[]): Candidate {
  return candidates.reduce((best, candidate) => (candidate.value > best.value ? candidate : best));
}

function tell({
  measure,
  split,
  queries,
  documents,
  candidates,
  trained,
}: z.infer<typeof mergeSchema>): string {
  const tried = candidates.map(({ trained: share, value }) => `${share} → ${value.toFixed(4)}`).join(', ');
  return `merge: ${measure} of ${queries} ${split} queries among ${documents} documents by the share of the trained model: ${tried}; takes ${trained}`;
}
