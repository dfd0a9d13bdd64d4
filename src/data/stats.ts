import type { Dataset, Qrels } from './dataset.js';
import { fullText } from './dataset.js';
import { countWords } from './derive/words.js';
import { Distribution, type DistributionSummary } from './distribution.js';

/** Figures of one split. */
export interface SplitStats {
  split: string;
  queries: number;
  judgments: number;
  /** Judged documents for each query. */
  judgedPerQuery: DistributionSummary;
  /** Relevant documents (grade above 0) for each query. */
  positivesPerQuery: DistributionSummary;
  /** How many judgments have each grade. */
  grades: Record<string, number>;
  examples?: { count: number; negativesPerExample: DistributionSummary };
}

/** What two splits share; either number above 0 between train and test is a leak to know about. */
export interface SplitOverlap {
  splits: [string, string];
  queries: number;
  /** Documents that are relevant in both. */
  positives: number;
}

export interface DatasetStats {
  name: string;
  documents: { count: number; withTitle: number; words: DistributionSummary };
  queries: { count: number; words: DistributionSummary };
  splits: SplitStats[];
  overlaps: SplitOverlap[];
}

/** Reads a collection once and counts; lengths are in words, title and text together. */
export async function datasetStats(
  dataset: Dataset,
  options: { onRecord?: () => void } = {},
): Promise<DatasetStats> {
  const documentWords = new Distribution();
  const queryWords = new Distribution();
  let withTitle = 0;
  for await (const document of dataset.documents()) {
    documentWords.add(countWords(fullText(document)));
    if (document.title) withTitle++;
    options.onRecord?.();
  }
  for await (const query of dataset.queries()) {
    queryWords.add(countWords(query.text));
    options.onRecord?.();
  }
  const qrels = new Map<string, Qrels>();
  for (const split of await dataset.splits()) qrels.set(split, await dataset.qrels(split));
  const splits: SplitStats[] = [];
  for (const [split, judgments] of qrels) splits.push(await splitStats(dataset, split, judgments));
  const documents = documentWords.summary();
  const queries = queryWords.summary();
  return {
    name: dataset.name,
    documents: { count: documents.count, withTitle, words: documents },
    queries: { count: queries.count, words: queries },
    splits,
    overlaps: splitOverlaps(qrels),
  };
}

/** What each two splits share. */
export function splitOverlaps(splits: Map<string, Qrels>): SplitOverlap[] {
  const parts = [...splits].map(([split, qrels]) => ({ split, qrels, positives: positivesOf(qrels) }));
  return parts.flatMap((a, i) =>
    parts.slice(i + 1).map((b) => ({
      splits: [a.split, b.split] as [string, string],
      queries: shared(a.qrels.keys(), b.qrels),
      positives: shared(a.positives, b.positives),
    })),
  );
}

async function splitStats(dataset: Dataset, split: string, qrels: Qrels): Promise<SplitStats> {
  const judged = new Distribution();
  const positives = new Distribution();
  const grades: Record<string, number> = {};
  let judgments = 0;
  for (const documents of qrels.values()) {
    let relevant = 0;
    for (const grade of documents.values()) {
      grades[grade] = (grades[grade] ?? 0) + 1;
      if (grade > 0) relevant++;
    }
    judgments += documents.size;
    judged.add(documents.size);
    positives.add(relevant);
  }
  const stats: SplitStats = {
    split,
    queries: qrels.size,
    judgments,
    judgedPerQuery: judged.summary(),
    positivesPerQuery: positives.summary(),
    grades,
  };
  if ((await dataset.exampleSplits?.())?.includes(split)) stats.examples = await exampleStats(dataset, split);
  return stats;
}

async function exampleStats(dataset: Dataset, split: string): Promise<SplitStats['examples']> {
  const negatives = new Distribution();
  for await (const example of dataset.examples!(split)) negatives.add(example.negatives.length);
  const summary = negatives.summary();
  return { count: summary.count, negativesPerExample: summary };
}

function positivesOf(qrels: Qrels): Set<string> {
  const positives = new Set<string>();
  for (const judged of qrels.values()) {
    for (const [id, grade] of judged) if (grade > 0) positives.add(id);
  }
  return positives;
}

function shared(ids: Iterable<string>, others: { has(id: string): boolean }): number {
  let count = 0;
  for (const id of ids) if (others.has(id)) count++;
  return count;
}
