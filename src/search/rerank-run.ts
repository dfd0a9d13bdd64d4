import { NearmissError } from '../base/errors.js';
import { type Dataset, fullText } from '../data/index.js';
import { type Ranking, type Run, selectHits } from '../evaluate/index.js';
import { TextStore } from '../negatives/text-store.js';
import type { Reranker } from './retrievers/reranker.js';

export interface RerankRunOptions {
  /** Holds the texts of the run's queries and documents. */
  dataset: Dataset;
  reranker: Reranker;
  /** How many of each query's hits are read; the others are left out. */
  depth: number;
  /** The name of the new run. */
  tag: string;
  /** Names the run in errors. */
  name: string;
  /** Told when a query is done how many hits it had. */
  onQuery?: (hits: number) => void;
}

/** Scores the first hits of every query anew. Texts wait in a temporary file, so memory does not grow with them. */
export async function rerankRun(run: Run, options: RerankRunOptions): Promise<Run> {
  const { reranker, depth, tag, onQuery } = options;
  const heads = new Map(
    [...run.rankings].map(([query, ranking]) => [query, selectHits(query, ranking, { depth }).ids]),
  );
  const queries = await queryTexts(heads, options);
  const { store, numbers } = await documentTexts(heads, options);
  try {
    const rankings = new Map<string, Ranking>();
    for (const [query, ids] of heads) {
      const texts = ids.map((id) => store.get(numbers.get(id)!));
      rankings.set(query, {
        ids,
        scores: Float64Array.from(await reranker.score(queries.get(query)!, texts)),
      });
      onQuery?.(ids.length);
    }
    return { tag, rankings };
  } finally {
    await store.close();
  }
}

type Heads = ReadonlyMap<string, readonly string[]>;

async function queryTexts(heads: Heads, { dataset, name }: RerankRunOptions): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for await (const { id, text } of dataset.queries()) if (heads.has(id)) texts.set(id, text);
  for (const query of heads.keys()) {
    if (!texts.has(query)) throw unknown(name, `query "${query}"`, dataset);
  }
  return texts;
}

async function documentTexts(
  heads: Heads,
  { dataset, name }: RerankRunOptions,
): Promise<{ store: TextStore; numbers: Map<string, number> }> {
  const wanted = new Set([...heads.values()].flat());
  const numbers = new Map<string, number>();
  async function* texts(): AsyncGenerator<string> {
    for await (const document of dataset.documents()) {
      if (!wanted.has(document.id)) continue;
      numbers.set(document.id, numbers.size);
      yield fullText(document);
    }
  }
  const store = await TextStore.create(texts());
  for (const [query, ids] of heads) {
    const missing = ids.find((id) => !numbers.has(id));
    if (missing === undefined) continue;
    await store.close();
    throw unknown(name, `document "${missing}" of query "${query}"`, dataset);
  }
  return { store, numbers };
}

function unknown(name: string, what: string, dataset: Dataset): NearmissError {
  return new NearmissError(`${name}: ${what} is not in ${dataset.name}`, {
    hint: 'name the collection that the run was made on: --data DIR',
  });
}
