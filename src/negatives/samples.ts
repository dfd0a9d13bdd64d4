import { shorten } from '../base/errors.js';
import { Random } from '../engine/random.js';
import type { CandidateTable } from './candidates/candidate-table.js';
import type { DroppedCandidate, MineOptions } from './mine.js';
import type { RankedList } from './rules/rule.js';
import type { PositivesOf } from './sampler.js';

/** Candidates shown of a query: the hardest, where unlabelled positives would be. */
const SHOWN_CANDIDATES = 5;
/** Characters of a text. */
const SNIPPET = 100;

export interface SampleDocument {
  id: string;
  /** Missing where a positive was not ranked. */
  rank?: number;
  score?: number;
  text: string;
}

/** A candidate that a rule has dropped. */
export interface DroppedDocument extends SampleDocument {
  rule: string;
}

export interface Sample {
  id: string;
  query: string;
  positives: SampleDocument[];
  negatives: SampleDocument[];
  /** The hardest that each rule dropped; only in a preview. */
  dropped?: DroppedDocument[];
}

/** Whose candidates are shown, and what of. */
export interface SampledData {
  queries: readonly { id: string; text: string }[];
  positives: { of: PositivesOf };
  idOf: (document: number) => string;
  textOf: (document: number) => string;
}

/** Where rankings have the known positives, which mining drops: noted in passing. */
export class PositiveRanks {
  readonly #places = new Map<number, Map<number, { rank: number; score?: number }>>();

  async *watch(lists: MineOptions['lists'], positives: MineOptions['positives']): AsyncGenerator<RankedList> {
    for await (const list of lists) {
      const { query, ids, scores } = list;
      const known = new Set(positives(query));
      const found = new Map<number, { rank: number; score?: number }>();
      ids.forEach((id, place) => {
        if (known.has(id)) found.set(id, placeOf(place + 1, scores[place]));
      });
      if (found.size > 0) this.#places.set(query, found);
      yield list;
    }
  }

  of(query: number, document: number): { rank?: number; score?: number } {
    return this.#places.get(query)?.get(document) ?? {};
  }
}

/** What rules dropped, the hardest of each rule and query: noted in passing. */
export class DroppedByRule {
  readonly #dropped = new Map<number, DroppedCandidate[]>();

  note(candidate: DroppedCandidate): void {
    const noted = this.#dropped.get(candidate.query) ?? [];
    const alike = noted.filter(({ rule }) => rule === candidate.rule);
    if (alike.length >= SHOWN_CANDIDATES) return;
    this.#dropped.set(candidate.query, [...noted, candidate]);
  }

  of(query: number): readonly DroppedCandidate[] {
    return this.#dropped.get(query) ?? [];
  }
}

/** Some queries that have candidates, the same ones for the same seed. */
export function takeSamples(
  table: CandidateTable,
  data: SampledData,
  { positiveRanks, dropped }: { positiveRanks: PositiveRanks; dropped?: DroppedByRule },
  { show, seed }: { show: number; seed: number },
): Sample[] {
  if (show === 0) return [];
  // Queries that rules have left nothing are what a preview is for.
  const queries = data.queries
    .map((_, query) => query)
    .filter((query) => table.counts[query] > 0 || (dropped?.of(query).length ?? 0) > 0);
  const shown = Random.from(seed, 'samples').shuffle(queries).slice(0, show);
  return shown.map((query) => {
    const { ids, scores, ranks } = table.row(query);
    return {
      id: data.queries[query].id,
      query: data.queries[query].text,
      positives: Array.from(data.positives.of(query), (document) => ({
        ...describeDocument(data, document),
        ...positiveRanks.of(query, document),
      })),
      negatives: Array.from(ids.subarray(0, SHOWN_CANDIDATES), (document, place) => ({
        ...describeDocument(data, document),
        ...placeOf(ranks[place], scores[place]),
      })),
      ...(dropped && {
        dropped: dropped.of(query).map(({ document, rank, score, rule }) => ({
          ...describeDocument(data, document),
          ...placeOf(rank, score),
          rule,
        })),
      }),
    };
  });
}

function placeOf(rank: number, score: number): { rank: number; score?: number } {
  return Number.isNaN(score) ? { rank } : { rank, score };
}

function describeDocument({ idOf, textOf }: SampledData, document: number): { id: string; text: string } {
  return { id: idOf(document), text: shorten(textOf(document).replace(/\s+/g, ' '), SNIPPET) };
}
