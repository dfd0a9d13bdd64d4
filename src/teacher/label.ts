import type { RankedList } from '../negatives/rules/rule.js';
import type { PositivesOf } from '../negatives/sampler.js';
import type { TextPair } from '../text/tokenizer.js';
import type { Normalization } from './normalize.js';
import type { PairScorer, ScoringProgress } from './pair-scorer.js';
import { PairScorers } from './pair-scorers.js';

/** Pairs that are gathered before teachers are asked. */
const PAIRS_AT_ONCE = 1024;

export interface LabelOptions {
  scorers: readonly PairScorer[];
  normalize: Normalization;
  /** Each query's candidates, best first. */
  lists: AsyncIterable<RankedList> | Iterable<RankedList>;
  /** How many candidates of each query are labelled, besides its positives. */
  depth: number;
  positives: PositivesOf;
  queryText: (query: number) => string;
  documentText: (document: number) => string;
  /** Told after each chunk that one of the teachers has scored. */
  onChunk?: (progress: ScoringProgress) => void | Promise<void>;
}

/** What teachers give to a query's positives and candidates. */
export interface LabelledList {
  query: number;
  documents: number[];
  scores: Float32Array;
}

/** Scores every query's positives and first candidates. */
export async function* label(options: LabelOptions): AsyncGenerator<LabelledList> {
  const { lists, depth, positives } = options;
  let gathered: { query: number; documents: number[] }[] = [];
  let pairs = 0;
  for await (const { query, ids } of lists) {
    const relevant = positives(query);
    const others = [...ids].filter((id) => !relevant.includes(id)).slice(0, depth);
    gathered.push({ query, documents: [...relevant, ...others] });
    pairs += relevant.length + others.length;
    if (pairs < PAIRS_AT_ONCE) continue;
    yield* scored(gathered, options);
    gathered = [];
    pairs = 0;
  }
  yield* scored(gathered, options);
}

async function* scored(
  lists: readonly { query: number; documents: number[] }[],
  { scorers, normalize, queryText, documentText, onChunk }: LabelOptions,
): AsyncGenerator<LabelledList> {
  const pairs = lists.map(({ query, documents }) => {
    const text = queryText(query);
    return documents.map((document): TextPair => [text, documentText(document)]);
  });
  const given = await new PairScorers(scorers, normalize).scoreLists(pairs, onChunk);
  for (const [i, list] of lists.entries()) yield { ...list, scores: given[i] };
}
