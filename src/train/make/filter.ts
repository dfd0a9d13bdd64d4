import { join } from 'node:path';
import type { OptionsOf } from '../../base/registry.js';
import { fullText } from '../../data/index.js';
import {
  filterQueries,
  GENERATED_FILE,
  generatedFile,
  type PairScoring,
  type QueriedDocument,
  queriesByDocument,
  writeGenerated,
} from '../../generate/index.js';
import type { RankedList } from '../../negatives/index.js';
import type { filterKind } from '../../recipe/makers/filter-kind.js';
import { locateMade } from '../../run/made.js';
import type { TrainingData } from '../../run/training-data.js';
import { bm25Lists } from '../mining/rankings.js';
import { trainedKinds } from '../model/kinds.js';
import type { CheckpointSearch } from '../refresh/checkpoint-search.js';
import { trainingLists } from '../refresh/publish-negatives.js';
import type { MakeContext } from './make-context.js';
import { openRecipeScorers } from './recipe-scorers.js';

type FilterOptions = OptionsOf<(typeof filterKind)['options']>;
type Queries = Map<string, string[]>;

/** Opens the maker `filter`. What a model encoded and a cross-encoder scored is kept, so that a stopped stage goes on. */
export async function makeFiltered(options: FilterOptions, context: MakeContext): Promise<void> {
  const { run, folder, tell } = context;
  const written = await queriesByDocument(await generatedFile(await locateMade(run, options.queries)));
  const found = options.retriever === 'none' ? written : await roundTrip(written, options, context);
  const best = options.models ? await bestBy(found, options, context) : found;
  await writeGenerated(
    join(folder, GENERATED_FILE),
    [...best].flatMap(([id, queries]) => (queries.length > 0 ? { id, passage: 0, queries } : [])),
  );
  tell({ written: countOf(written), 'led back': countOf(found), kept: countOf(best) });
}

/** The queries for which a retriever finds their document (Promptagator, Dai et al. 2022). */
async function roundTrip(
  written: Queries,
  { queries: file, retriever, depth }: FilterOptions,
  { stages, stage, run, recipe, session, progress, signal }: MakeContext,
): Promise<Queries> {
  const data = await stages.of({ name: 'generated', file });
  let checkpoint: CheckpointSearch | undefined;
  try {
    if (retriever === 'model') {
      const search = { run, recipe, data, session, onProgress: progress, signal };
      checkpoint = await trainedKinds.get(recipe.model.kind).openCheckpoint(stage.start, search);
    }
    const members = Int32Array.from(data.training.keys());
    const lists = checkpoint
      ? trainingLists(checkpoint, data, { members, depth })
      : bm25Lists(run, data, depth);
    return ledBack(written, await pairsFound(lists, data));
  } finally {
    await checkpoint?.close();
  }
}

/** For each query's text the documents among those it was written for that were found. */
async function pairsFound(
  lists: AsyncIterable<RankedList>,
  { dataset, queries, documents, training }: TrainingData,
): Promise<Map<string, Set<string>>> {
  const texts = new Map<number, string>();
  for await (const { id, text } of dataset.queries()) texts.set(queries.cache.indexOf(id), text);
  const found = new Map<string, Set<string>>();
  for await (const { query, ids } of lists) {
    const { query: number, positives } = training[query];
    const right = [...ids].filter((id) => positives.includes(id)).map((id) => documents.cache.id(id));
    if (right.length > 0) found.set(texts.get(number)!, new Set(right));
  }
  return found;
}

function ledBack(written: Queries, found: ReadonlyMap<string, ReadonlySet<string>>): Queries {
  return new Map(
    [...written].map(([id, queries]) => [id, queries.filter((query) => found.get(query)?.has(id))]),
  );
}

/** The share of the queries that cross-encoders give most. */
async function bestBy(
  queries: Queries,
  { models = [], keep }: FilterOptions,
  { run, data, session, progress, signal }: MakeContext,
): Promise<Queries> {
  const total = countOf(queries);
  let done = 0;
  async function* documents(): AsyncGenerator<QueriedDocument> {
    for await (const document of data.dataset.documents()) {
      const own = queries.get(document.id);
      if (own && own.length > 0) yield { id: document.id, text: fullText(document), queries: own };
    }
  }
  const scorers = await openRecipeScorers(models, { run, session });
  const stoppable: PairScoring = {
    async score(pairs) {
      const scores = await scorers.score(pairs);
      done += pairs.length;
      await progress(done, total);
      signal.throwIfAborted();
      return scores;
    },
  };
  const filtered = await filterQueries(documents(), stoppable, { keep }).finally(() => scorers.close());
  return filtered.queries;
}

function countOf(queries: Queries): number {
  return [...queries.values()].reduce((sum, own) => sum + own.length, 0);
}
