/** What a source ranked for one query. */
export interface RankedList {
  query: number;
  /** Documents, best first. */
  ids: Int32Array;
  /** Their scores, higher is better; NaN where the source has none. */
  scores: Float32Array;
  /** Their ranks, ascending from 1, where some are missing. Default: their places. */
  ranks?: Int32Array;
}

/** The rank of a place of a list, from 1. */
export function rankAt({ ranks }: RankedList, place: number): number {
  return ranks ? ranks[place] : place + 1;
}

/** Says of each place of one list whether to drop the candidate there. */
export type Objection = (place: number) => boolean;

/** Keeps documents from becoming negatives, e.g. because they may be relevant without anyone having said so. */
export interface CandidateRule {
  /** What the mining report calls it. */
  readonly name: string;
  /** What the manifest records beside the name. */
  readonly parameters: Record<string, number>;
  /** Looks at one query's list and its known positives, ascending. */
  judge(list: RankedList, positives: Int32Array): Objection;
}
