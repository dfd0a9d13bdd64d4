import type { Dataset, Qrels } from '../../data/index.js';
import type { Run } from '../../evaluate/index.js';

/** Hits shown of each side. */
const SHOWN = 3;

/** One side of an example. */
export interface ExampleAnswers {
  /** The nouns found first. */
  found: string[];
  /** Where the right one stands, from 1; absent where it is not among the hits. */
  rank?: number;
}

/** A test query with what is found before and after training. */
export interface DemoExample {
  query: string;
  answer: string;
  before: ExampleAnswers;
  after: ExampleAnswers;
}

interface Gain {
  query: string;
  before: number;
}

/**
 * The queries that gained most: among those whose answer is first after training, the ones for which it stood deepest
 * before; equal ones in the order of the judgments, which is random. A rule, so that nobody picks flattering ones.
 */
export function largestGains(qrels: Qrels, runs: { before: Run; after: Run }, limit: number): string[] {
  const gains: Gain[] = [];
  for (const query of qrels.keys()) {
    const before = rankOf(query, qrels, runs.before);
    if (rankOf(query, qrels, runs.after) === 1 && before > 1) gains.push({ query, before });
  }
  // Two that were not found at all are equal, and Infinity − Infinity is not.
  gains.sort((a, b) => (a.before === b.before ? 0 : b.before - a.before));
  return gains.slice(0, limit).map(({ query }) => query);
}

/** Looks up what to show of some queries. */
export async function describeExamples(
  queries: readonly string[],
  options: { dataset: Dataset; qrels: Qrels; before: Run; after: Run },
): Promise<DemoExample[]> {
  const { dataset, qrels, before, after } = options;
  const answers = queries.map((query) => relevant(query, qrels)[0]);
  const shown = [before, after].map((run) => queries.map((query) => firstHits(query, run)));
  const titles = await titlesOf(dataset, new Set([...answers, ...shown.flat(2)]));
  const texts = new Map<string, string>();
  for await (const { id, text } of dataset.queries()) if (queries.includes(id)) texts.set(id, text);
  const side = (run: Run, query: string, hits: readonly string[]): ExampleAnswers => {
    const rank = rankOf(query, qrels, run);
    return {
      found: hits.map((id) => titles.get(id) ?? id),
      ...(Number.isFinite(rank) && { rank }),
    };
  };
  return queries.map((query, i) => ({
    query: texts.get(query)!,
    answer: titles.get(answers[i])!,
    before: side(before, query, shown[0][i]),
    after: side(after, query, shown[1][i]),
  }));
}

async function titlesOf(dataset: Dataset, wanted: ReadonlySet<string>): Promise<Map<string, string>> {
  const titles = new Map<string, string>();
  for await (const { id, title } of dataset.documents()) if (wanted.has(id)) titles.set(id, title ?? id);
  return titles;
}

function relevant(query: string, qrels: Qrels): string[] {
  return [...(qrels.get(query) ?? [])].filter(([, grade]) => grade > 0).map(([id]) => id);
}

function firstHits(query: string, run: Run): readonly string[] {
  return run.rankings.get(query)?.ids.slice(0, SHOWN) ?? [];
}

/** From 1; Infinity where no answer was found. */
function rankOf(query: string, qrels: Qrels, run: Run): number {
  const answers = relevant(query, qrels);
  const place = run.rankings.get(query)?.ids.findIndex((id) => answers.includes(id)) ?? -1;
  return place < 0 ? Number.POSITIVE_INFINITY : place + 1;
}
