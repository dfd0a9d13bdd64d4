import { exists } from '../../base/files.js';
import { Random } from '../../engine/index.js';
import {
  CandidateTable,
  mine,
  type NegativeSource,
  RandomSource,
  type RankedList,
  type RankedOptions,
  rankedOptionsOf,
  TableSource,
} from '../../negatives/index.js';
import type { NegativesRecipe } from '../../recipe/recipe.js';
import { findFixedTable } from '../../run/fixed-tables.js';
import { bm25Rankings } from './bm25.js';
import type { OpenCheckpoint } from './open-checkpoint.js';
import { OtherPositives } from './other-positives.js';
import type { RankedSample } from './rank-sample.js';
import type { SampledQuery } from './sample.js';

/** Drawn for each query from each source. */
const NEGATIVES_PER_QUERY = 8;

/** How deep the true top goes that negatives are looked for in (§6.3 of the ANCE paper). */
export const TOP = 100;

/** BM25's depth where the run's recipe has no BM25 negatives. */
const BM25_DEPTH = 100;

/** What one source would give the sampled queries to learn from. */
export interface DrawnNegatives {
  /** `random`, `in-batch`, `bm25`, `ann step 300`, `true top`. */
  source: string;
  /** How many steps before the model under analysis the source was mined, for ANN tables. */
  age?: number;
  /** For each sampled query the drawn documents. */
  documents: Int32Array[];
}

/** Draws negatives of every kind for the sampled queries, a pure function of the recipe's seed. */
export async function drawNegatives(
  checkpoint: OpenCheckpoint,
  queries: readonly SampledQuery[],
  ranked: readonly RankedSample[],
): Promise<DrawnNegatives[]> {
  const { data, recipe } = checkpoint;
  const draw = (source: NegativeSource, name = source.name): DrawnNegatives => ({
    source: name,
    documents: queries.map(({ training }) => {
      const random = Random.from(recipe.seed, 'analyze', source.name, training);
      return Int32Array.from(
        source.sample(training, random, NEGATIVES_PER_QUERY),
        ({ document }) => document,
      );
    }),
  });
  const drawn = [
    draw(
      new RandomSource({
        documentCount: data.documents.count,
        positives: (query) => data.training[query].positives,
      }),
    ),
    draw(new OtherPositives(data.training)),
    draw(tableSource(checkpoint, 'bm25', await bm25Table(checkpoint, queries))),
  ];
  for (const step of await checkpoint.run.steps('negatives')) {
    const table = await loadKept(checkpoint.run.stepPath('negatives', step));
    if (!table) continue;
    drawn.push({
      ...draw(tableSource(checkpoint, 'ann', table), `ann step ${step}`),
      age: checkpoint.step - step,
    });
  }
  return [...drawn, { source: 'true top', documents: drawTop(checkpoint, queries, ranked) }];
}

/** A table, unless a run that is going on has removed it meanwhile. */
async function loadKept(folder: string): Promise<CandidateTable | undefined> {
  try {
    return await CandidateTable.load(folder);
  } catch (error) {
    if (await exists(folder)) throw error;
    return undefined;
  }
}

/** How deep the run samples ANN negatives; as deep as the paper looks where it has none. */
export function annDepth(checkpoint: OpenCheckpoint): number {
  return optionsOf(checkpoint, 'ann')?.depth ?? TOP;
}

/** How the run samples a source. */
function optionsOf(checkpoint: OpenCheckpoint, source: string): RankedOptions | undefined {
  const recipe = recipeOf(checkpoint, source);
  return recipe && rankedOptionsOf(recipe);
}

/** The negatives that a recipe's stages take from a source; the stage under analysis first. */
function recipeOf(
  { plan, stage }: OpenCheckpoint,
  source: NegativesRecipe['source'],
): NegativesRecipe | undefined {
  return [stage, ...plan.stages]
    .flatMap(({ negatives }) => negatives)
    .find((negatives) => negatives.source === source);
}

/** Samples a table the way the run does. */
function tableSource(checkpoint: OpenCheckpoint, name: 'bm25' | 'ann', table: CandidateTable): TableSource {
  return new TableSource({ table, name, sampling: optionsOf(checkpoint, name)?.sampling });
}

/** The run's BM25 candidates or, where it has none, the same made for the sampled queries. */
async function bm25Table(
  checkpoint: OpenCheckpoint,
  queries: readonly SampledQuery[],
): Promise<CandidateTable> {
  const { run, data } = checkpoint;
  const recipe = recipeOf(checkpoint, 'bm25');
  const folder = recipe && (await findFixedTable(run, recipe));
  if (folder !== undefined) return CandidateTable.load(folder);
  const numbers = queries.map(({ training }) => data.training[training].query);
  const found = await bm25Rankings(checkpoint, numbers, BM25_DEPTH);
  const lists: RankedList[] = queries.flatMap(({ training }, i) => {
    const ranking = found.get(numbers[i]);
    return ranking ? { query: training, ids: ranking.ids, scores: Float32Array.from(ranking.scores) } : [];
  });
  const { table } = await mine({
    source: 'bm25',
    queryCount: data.training.length,
    documentCount: data.documents.count,
    depth: BM25_DEPTH,
    lists,
    positives: (query) => data.training[query].positives,
  });
  return table;
}

/** What the run would draw if its negatives were never out of date. */
function drawTop(
  checkpoint: OpenCheckpoint,
  queries: readonly SampledQuery[],
  ranked: readonly RankedSample[],
): Int32Array[] {
  return queries.map(({ training }, place) => {
    const random = Random.from(checkpoint.recipe.seed, 'analyze', 'top', training);
    const top = ranked[place].topNegatives.slice(0, annDepth(checkpoint));
    return random.shuffle(top).slice(0, NEGATIVES_PER_QUERY);
  });
}
