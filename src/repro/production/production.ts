import { evaluate, pairedTTest } from '../../evaluate/index.js';
import type { Recipe } from '../../recipe/recipe.js';
import { type RowRecipeOptions, rowRecipe } from '../table/row-recipe.js';
import { keepResults } from '../table/row-room.js';
import { costOfRows, type RowsCost } from '../table/rows-cost.js';
import { type PlannedRun, type TrainRowOptions, trainRow, unfinishedRuns } from '../table/train-row.js';
import { rowOf, SEARCHES, SPACES, type Space, SYSTEMS, type SystemName } from './cells.js';
import { corpusSizes, type GrownCorpus, openGrownCorpus } from './corpus.js';
import { ModelSearch } from './search-cell.js';

export interface ProductionOptions extends TrainRowOptions, RowRecipeOptions {
  testSplit: string;
  /** Collections whose documents are put beside the collection's own. */
  distractors: readonly string[];
  /** Documents of a corpus, the collection's own among them. Default: the collection alone, and everything. */
  sizes?: readonly number[];
  threads?: number;
  /** Told what will be trained, before anything is. */
  onPlan?: (cost: RowsCost) => void | Promise<void>;
  onCell?: (cell: ProductionCell) => void;
}

/** The baseline and ANCE in one setting, as the ANCE paper's Table 4 has them. */
export interface ProductionCell {
  documents: number;
  /** How long vectors are, and how they came to be. */
  space: string;
  search: string;
  /** RR@10, nDCG@10 and R@100 of each. */
  baseline: Record<string, number>;
  ance: Record<string, number>;
  /** Of RR@10, relative to the baseline. */
  gain: number;
  /** Paired t-test on the RR@10 of queries. */
  p: number;
}

const MEASURES = ['RR@10', 'nDCG@10', 'R@100'] as const;

/** Trains both systems in every space and searches with every index among ever more documents; what is done is kept. */
export async function reproduceProduction(
  options: ProductionOptions,
): Promise<{ dataset: string; ownDocuments: number; cells: ProductionCell[] }> {
  const corpus = await openGrownCorpus(options.data, options.distractors);
  const sizes = corpusSizes(corpus, options.sizes);
  const largest = sizes[sizes.length - 1];
  const qrels = await corpus.own.qrels(options.testSplit);
  // What is wrong with any recipe is told before the first is trained.
  const planned: PlannedRun[] = [];
  for (const space of SPACES) {
    for (const system of SYSTEMS) {
      planned.push(...(await unfinishedRuns(await recipeOf(system, space, options), options)));
    }
  }
  await options.onPlan?.(await costOfRows(planned, options));
  const cells: ProductionCell[] = [];
  for (const space of SPACES) {
    const searches = new Map<SystemName, ModelSearch>();
    for (const system of SYSTEMS)
      searches.set(system.name, await trainedSearch(system, space, { corpus, largest }, options));
    for (const documents of sizes) {
      for (const search of SEARCHES) {
        const measured = async (name: SystemName) =>
          evaluate(await searches.get(name)!.find(search, documents, space.kept), qrels, MEASURES, {
            complete: true,
          });
        const [baseline, ance] = [await measured('baseline'), await measured('ance')];
        const cell: ProductionCell = {
          documents,
          space: space.name,
          search: search.name,
          baseline: { ...baseline.mean },
          ance: { ...ance.mean },
          gain: ance.mean['RR@10'] / baseline.mean['RR@10'] - 1,
          p: pairedTTest(ance.perQuery['RR@10'], baseline.perQuery['RR@10']).p,
        };
        cells.push(cell);
        options.onCell?.(cell);
      }
    }
  }
  return { dataset: corpus.own.name, ownDocuments: corpus.ownCount, cells };
}

function recipeOf(
  system: (typeof SYSTEMS)[number],
  space: Space,
  options: ProductionOptions,
): Promise<Recipe> {
  return rowRecipe(rowOf(system, space), options);
}

async function trainedSearch(
  system: (typeof SYSTEMS)[number],
  space: Space,
  searched: { corpus: GrownCorpus; largest: number },
  options: ProductionOptions,
): Promise<ModelSearch> {
  const runs = await trainRow(await recipeOf(system, space, options), options);
  await keepResults(runs, runs[0]);
  const run = runs.at(-1)!;
  const step = (await run.steps('evaluations')).at(-1)!;
  const { testSplit: split, threads } = options;
  return new ModelSearch({ run, step, ...searched, split, threads });
}
