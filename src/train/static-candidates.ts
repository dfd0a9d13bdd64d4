import { NearmissError } from '../base/errors.js';
import { exists } from '../base/files.js';
import { readRun } from '../evaluate/index.js';
import { Bm25SearchPool, buildBm25Index, openBm25Index } from '../index/bm25/index.js';
import { CandidateTable, mine, type RankedList } from '../negatives/index.js';
import { candidateRules } from './candidate-rules.js';
import type { NegativesRecipe } from './recipe/recipe.js';
import type { RunDirectory } from './run-directory.js';
import type { TrainingData } from './training-data.js';

/** Queries searched at once. */
const CHUNK = 1024;

/** Candidates that do not change while a run lasts: BM25's, or those of a file. Mined once and kept in the run. */
export async function staticCandidates(
  run: RunDirectory,
  data: TrainingData,
  recipe: NegativesRecipe,
): Promise<CandidateTable> {
  const folder = run.file('negatives', recipe.source);
  if (await exists(folder)) return CandidateTable.load(folder);
  const lists = recipe.source === 'bm25' ? bm25Lists(run, data, recipe.depth) : runLists(data, recipe);
  const { table } = await mine({
    source: recipe.source === 'bm25' ? 'bm25' : 'static',
    queryCount: data.training.length,
    documentCount: data.documents.count,
    depth: recipe.depth,
    lists,
    positives: (query) => data.training[query].positives,
    rules: candidateRules(recipe),
  });
  await table.save(folder);
  return table;
}

/** Builds the run's BM25 index where there is none, and gives its folder. */
export async function bm25Folder(run: RunDirectory, data: TrainingData): Promise<string> {
  const folder = run.file('cache', 'bm25');
  if (!(await exists(folder))) await buildBm25Index(folder, data.dataset.documents());
  return folder;
}

async function* bm25Lists(run: RunDirectory, data: TrainingData, depth: number): AsyncGenerator<RankedList> {
  const index = await openBm25Index(await bm25Folder(run, data));
  const pool = new Bm25SearchPool(index);
  try {
    const texts = await queryTextsOf(data);
    for (let start = 0; start < texts.length; start += CHUNK) {
      const rankings = await pool.search(texts.slice(start, start + CHUNK), { k: depth });
      for (const [i, { ids, scores }] of rankings.entries()) {
        yield { query: start + i, ids: Int32Array.from(ids), scores: Float32Array.from(scores) };
      }
    }
  } finally {
    await pool.close();
  }
}

async function queryTextsOf(data: TrainingData): Promise<string[]> {
  const placeOf = new Map(data.training.map(({ query }, place) => [query, place]));
  const texts = new Array<string>(data.training.length).fill('');
  for await (const { id, text } of data.dataset.queries()) {
    const place = placeOf.get(data.queries.cache.indexOf(id));
    if (place !== undefined) texts[place] = text;
  }
  return texts;
}

async function* runLists(data: TrainingData, recipe: NegativesRecipe): AsyncGenerator<RankedList> {
  if (recipe.file === undefined)
    throw new NearmissError('negatives: source static needs a file', { hint: 'set file: to a TREC run' });
  const { rankings } = await readRun(recipe.file);
  for (const [place, { query }] of data.training.entries()) {
    const ranking = rankings.get(data.queries.cache.id(query));
    if (!ranking) continue;
    const ids = Int32Array.from(ranking.ids, (id) => data.documents.cache.indexOf(id));
    const missing = ids.indexOf(-1);
    if (missing >= 0) {
      throw new NearmissError(
        `${recipe.file}: document "${ranking.ids[missing]}" is not in ${data.dataset.name}`,
        {
          hint: 'was the run made on another collection?',
        },
      );
    }
    yield { query: place, ids, scores: Float32Array.from(ranking.scores) };
  }
}
