import type { ExampleSource } from '../../examples/index.js';
import {
  negatives as kinds,
  type NegativeSource,
  type NegativeSupply,
  type StepExamples,
  type SupplyContext,
} from '../../negatives/index.js';
import { kindOptions } from '../../recipe/kind-options.js';
import type { NegativesRecipe } from '../../recipe/recipe.js';
import { locateMade } from '../../run/made.js';
import type { StageRows } from '../model/stage-rows.js';
import type { StageContext } from '../task/task.js';
import { fixedCandidates } from './fixed-candidates.js';
import { FreshTables } from './fresh-tables.js';
import { bm25Lists, fileLists } from './rankings.js';

/** A source of negatives and how many of it each query gets. */
export interface CountedSource {
  source: NegativeSource;
  count: number;
}

/** What a stage has opened that its negatives depend on. */
export interface SuppliesParts {
  examples: ExampleSource;
  rows: StageRows;
}

/** All supplies of a stage's negatives. */
export class StageSupplies {
  readonly #supplies: readonly { supply: NegativeSupply; count: number }[];

  private constructor(supplies: readonly { supply: NegativeSupply; count: number }[]) {
    this.#supplies = supplies;
  }

  static async open(context: StageContext, parts: SuppliesParts): Promise<StageSupplies> {
    const supplyContext = supplyContextOf(context, parts);
    const supplies: { supply: NegativeSupply; count: number }[] = [];
    for (const recipe of inDrawingOrder(context.stage.negatives)) {
      const kind = kinds.get(recipe.source);
      if (!kind.open) continue;
      const supply = await kind.open(kindOptions(kind, recipe), supplyContext);
      supplies.push({ supply, count: recipe.count ?? 1 });
    }
    return new StageSupplies(supplies);
  }

  /** The checkpoint that ranked the present negatives, where one did. */
  get version(): number | undefined {
    return this.#supplies.find(({ supply }) => supply.version !== undefined)?.supply.version;
  }

  /** What to draw from for a batch, or `undefined` where waiting for it was given up. */
  async at(step: number, examples: StepExamples): Promise<CountedSource[] | undefined> {
    const sources: CountedSource[] = [];
    for (const { supply, count } of this.#supplies) {
      const source = await supply.at(step, examples);
      if (!source) return undefined;
      sources.push({ source, count });
    }
    return sources;
  }
}

/** Sources draw one after another from the same random stream, the fresh one last: its place in the recipe is no matter. */
function inDrawingOrder(recipes: readonly NegativesRecipe[]): NegativesRecipe[] {
  const isFresh = ({ source }: NegativesRecipe): boolean => kinds.get(source).fresh ?? false;
  return [...recipes.filter((recipe) => !isFresh(recipe)), ...recipes.filter(isFresh)];
}

function supplyContextOf(context: StageContext, { examples, rows }: SuppliesParts): SupplyContext {
  const { run, data, description, events, stage } = context;
  const fresh = new FreshTables(context);
  return {
    documentCount: data.documents.count,
    queryCount: data.training.length,
    positives: (example) => examples.relevant(example),
    bm25Lists: (depth) => bm25Lists(run, data, depth),
    fileLists: async (file) => fileLists(await locateMade(run, file), data, description),
    fixedTable: (rankings) =>
      fixedCandidates(run, data, { ...rankings, mayBeEmpty: stage.negatives.length > 1 }, (mined) =>
        events.write({ ...mined, step: stage.start }),
      ),
    freshTable: (step) => fresh.at(step),
    documentRows: (documents) => rows.of('documents', documents),
    searchDocuments: (queries, k) => rows.search(queries, k),
  };
}
