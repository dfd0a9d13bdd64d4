import { describe, NearmissError } from '../base/errors.js';
import { contentId } from './content-id.js';
import type { Dataset, Document, Judgment, Qrels, Query, TrainingExample } from './dataset.js';

/** A query and a document that answers it, as texts. */
export interface TextPair {
  query: string;
  document: string;
  /** Documents that do not answer it, if some are known: for recipes that take static negatives. */
  negatives?: readonly string[];
}

export interface PairsOptions {
  /** What tables call the collection. Default `pairs`. */
  name?: string;
  /** Pairs to measure with. Default: the last tenth of the queries, which then are not learned from. */
  dev?: readonly TextPair[];
  /** Documents that answer none of the queries, so that there is more to choose from. */
  documents?: readonly string[];
}

const DEV_SHARE = 0.1;

/**
 * Pairs in memory as a collection with the splits `train` and `dev`. Equal texts are one query, or one document.
 *
 * @example
 * const dataset = pairsDataset([
 *   { query: 'how tall is a giraffe', document: 'an adult stands five metres high' },
 *   { query: 'when do owls sleep', document: 'most of them rest by day and hunt at night' },
 * ]);
 * await dataset.splits(); // ['train', 'dev']
 */
export function pairsDataset(pairs: readonly TextPair[], options: PairsOptions = {}): Dataset {
  checkPairs(pairs, 'pairs');
  checkPairs(options.dev ?? [], 'dev');
  const splits = options.dev ? { train: pairs, dev: options.dev } : holdOut(pairs);
  const documents = new Map<string, Document>();
  const queries = new Map<string, Query>();
  const documentId = (text: string): string => {
    const id = contentId('document', text);
    documents.set(id, { id, text });
    return id;
  };
  const judge = ({ query, document }: TextPair): Judgment => {
    const queryId = contentId('query', query);
    queries.set(queryId, { id: queryId, text: query });
    return { queryId, documentId: documentId(document), grade: 1 };
  };
  const judgments = new Map(Object.entries(splits).map(([split, each]) => [split, qrelsOf(each.map(judge))]));
  const examples = new Map(
    Object.entries(splits)
      .map(([split, each]) => [split, examplesOf(each, documentId)] as const)
      .filter(([, each]) => each.length > 0),
  );
  for (const text of options.documents ?? []) documentId(text);
  const judged = (split: string): Qrels => judgments.get(split) ?? new Map();
  return {
    name: options.name ?? 'pairs',
    async *documents() {
      yield* documents.values();
    },
    async *queries(split) {
      for (const query of queries.values())
        if (split === undefined || judged(split).has(query.id)) yield query;
    },
    splits: async () => [...judgments.keys()],
    qrels: async (split) => judged(split),
    exampleSplits: async () => [...examples.keys()],
    async *examples(split) {
      yield* examples.get(split) ?? [];
    },
  };
}

/** Who writes JavaScript has no compiler to tell that the sides have other names. */
function checkPairs(pairs: readonly TextPair[], name: string): void {
  for (const [nth, pair] of pairs.entries()) {
    for (const side of ['query', 'document'] as const) {
      const text: unknown = pair?.[side];
      if (typeof text === 'string' && text.trim() !== '') continue;
      throw new NearmissError(`${name}[${nth}]: field "${side}": expected a text, got ${describe(text)}`, {
        hint: `a pair is { query, document }; this one has: ${Object.keys(pair ?? {}).join(', ') || 'nothing'}`,
      });
    }
  }
}

/** All pairs of a query go to one side. */
function holdOut(pairs: readonly TextPair[]): { train: TextPair[]; dev: TextPair[] } {
  const queries = [...new Set(pairs.map(({ query }) => query))];
  if (queries.length < 2) {
    throw new NearmissError(
      `expected pairs with at least two different queries, one to learn from and one to measure with, got ${queries.length}`,
    );
  }
  const dev = new Set(queries.slice(-Math.ceil(DEV_SHARE * queries.length)));
  return {
    train: pairs.filter(({ query }) => !dev.has(query)),
    dev: pairs.filter(({ query }) => dev.has(query)),
  };
}

function qrelsOf(judgments: readonly Judgment[]): Qrels {
  const qrels: Qrels = new Map();
  for (const { queryId, documentId, grade } of judgments) {
    const grades = qrels.get(queryId) ?? new Map<string, number>();
    qrels.set(queryId, grades.set(documentId, grade));
  }
  return qrels;
}

function examplesOf(pairs: readonly TextPair[], idOf: (text: string) => string): TrainingExample[] {
  return pairs
    .filter(({ negatives = [] }) => negatives.length > 0)
    .map(({ query, document, negatives = [] }) => ({
      queryId: contentId('query', query),
      positives: [{ id: idOf(document) }],
      negatives: negatives.map((text) => ({ id: idOf(text) })),
    }));
}
