import type { EncodedTexts } from '../model/index.js';
import type { CandidateTable } from './candidates/candidate-table.js';
import type { RankedOptions } from './ranked-options.js';
import type { RankedList } from './rules/rule.js';
import type { NegativeSource, PositivesOf } from './sampler.js';

/** The examples of one batch of a step, before their negatives are drawn. */
export interface StepExamples {
  /** Their numbers among the examples: those of training queries, where examples are these. */
  readonly members: readonly number[];
  /** The rows of their queries by the present weights. */
  queryRows(): Promise<EncodedTexts>;
}

/** Where a stage's negatives of one kind come from while it lasts. */
export interface NegativeSupply {
  /** The step of the checkpoint that ranked the present ones, where one did. */
  readonly version?: number;
  /** What to draw from for a batch of a step; `undefined` where waiting for it was given up. */
  at(step: number, examples: StepExamples): Promise<NegativeSource | undefined>;
}

/** Rankings that do not change while a run lasts. */
export interface FixedRankings {
  /** What ranks, as it stands in the table: the kind's name. */
  source: string;
  /** All settings that decide which candidates there are. */
  options: RankedOptions & { file?: string };
  /** What ranked, for people. */
  index?: string;
  /** For messages, e.g. `bm25 negatives`. */
  what: string;
  lists: () => AsyncIterable<RankedList> | Promise<Iterable<RankedList>>;
}

/** What a source may use of the run it serves. */
export interface SupplyContext {
  readonly documentCount: number;
  readonly queryCount: number;
  /** The relevant documents of each example. */
  readonly positives: PositivesOf;
  /** BM25's rankings for all training queries. */
  bm25Lists(depth: number): AsyncIterable<RankedList>;
  /** The rankings in a TREC run, a training file or a table of `nearmiss mine`. */
  fileLists(file: string): Promise<Iterable<RankedList>>;
  /** The candidates of rankings that do not change: mined once and kept in the run. */
  fixedTable(rankings: FixedRankings): Promise<CandidateTable>;
  /**
   * The candidates that the Inferencer mined for a step with the model's own index; the same object again until there
   * are newer ones, `undefined` where waiting for them was given up.
   */
  freshTable(step: number): Promise<{ version: number; table: CandidateTable } | undefined>;
  /** The rows of documents by the present weights. */
  documentRows(documents: readonly number[]): Promise<EncodedTexts>;
  /** The best documents for rows of queries, where documents do not change in a stage. */
  searchDocuments(
    queries: EncodedTexts,
    k: number,
  ): Promise<{ k: number; ids: Int32Array; scores: Float32Array }>;
}
