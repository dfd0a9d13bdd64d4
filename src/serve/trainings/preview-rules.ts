import { fullText } from '../../data/dataset.js';
import type { Dataset, Document } from '../../data/index.js';
import { Random } from '../../engine/random.js';
import {
  buildRules,
  DroppedByRule,
  mine,
  PositiveRanks,
  type RankedList,
  type RuleOptions,
  takeSamples,
  textFingerprint,
} from '../../negatives/index.js';
import type { Searcher } from '../../search/searcher.js';
import type { MiningPreview } from '../answers/trainings.js';

export interface PreviewOptions {
  split: string;
  /** What ranks. */
  mode: string;
  /** The last rank to look at. */
  depth: number;
  rules: RuleOptions;
  /** How many queries are looked at. */
  show: number;
  seed: number;
  signal?: AbortSignal;
}

interface LabelledQuery {
  id: string;
  text: string;
  positives: string[];
}

/** What mining would keep and drop for some queries of a split, ranked by what is served; `nearmiss mine --preview` does it for all. */
export async function previewRules(
  searcher: Searcher,
  dataset: Dataset,
  options: PreviewOptions,
): Promise<MiningPreview> {
  const { split, mode, depth, rules, show, seed, signal } = options;
  const queries = await someQueries(dataset, options);
  const found = await searcher.retriever(mode).search(
    queries.map(({ text }) => text),
    { k: depth, signal },
  );
  // Only these documents are looked at, so they are numbered among themselves.
  const ids = [
    ...new Set([...found.flat().map(({ id }) => id), ...queries.flatMap(({ positives }) => positives)]),
  ];
  const numbers = new Map(ids.map((id, number) => [id, number]));
  const documents = await searcher.documents.getAll(ids);
  const texts = documents.map((document?: Document) => (document ? fullText(document) : ''));
  const positives = queries.map((query) => Int32Array.from(query.positives, (id) => numbers.get(id)!));
  const positivesOf = (query: number): Int32Array => positives[query];
  const lists = found.map(
    (hits, query): RankedList => ({
      query,
      ids: Int32Array.from(hits, ({ id }) => numbers.get(id)!),
      scores: Float32Array.from(hits, ({ score }) => score),
    }),
  );
  const positiveRanks = new PositiveRanks();
  const dropped = new DroppedByRule();
  const { table, report } = await mine({
    source: mode,
    lists: positiveRanks.watch(lists, positivesOf),
    queryCount: queries.length,
    documentCount: ids.length,
    depth,
    positives: positivesOf,
    rules: buildRules(rules, { fingerprintOf: (document) => textFingerprint(texts[document]) }),
    onDropped: (candidate) => dropped.note(candidate),
  });
  const data = {
    queries,
    positives: { of: positivesOf },
    idOf: (document: number) => ids[document],
    textOf: (document: number) => texts[document],
  };
  return {
    split,
    mode,
    queries: queries.length,
    ranked: report.ranked,
    kept: report.kept,
    removed: report.removed,
    samples: takeSamples(table, data, { positiveRanks, dropped }, { show, seed }).map((sample) => ({
      ...sample,
      dropped: sample.dropped ?? [],
    })),
  };
}

/** Queries with a positive each, the same ones for the same seed. */
async function someQueries(
  dataset: Dataset,
  { split, show, seed }: PreviewOptions,
): Promise<LabelledQuery[]> {
  const positives = new Map<string, string[]>();
  for (const [query, grades] of await dataset.qrels(split)) {
    const right = [...grades].filter(([, grade]) => grade > 0).map(([id]) => id);
    if (right.length > 0) positives.set(query, right);
  }
  const chosen = new Set(
    Random.from(seed, 'preview')
      .shuffle([...positives.keys()])
      .slice(0, show),
  );
  const queries: LabelledQuery[] = [];
  for await (const { id, text } of dataset.queries(split)) {
    if (chosen.has(id)) queries.push({ id, text, positives: positives.get(id)! });
  }
  return queries;
}
