import { NearmissError } from '../base/errors.js';
import { CREATED_BY } from '../base/version.js';
import type { CandidateData } from './candidates/candidate-data.js';
import { CandidateTable, NONE } from './candidates/candidate-table.js';
import type { MiningReport, Provenance } from './candidates/manifest.js';
import { knownPositives } from './rules/known-positives.js';
import { type CandidateRule, type RankedList, rankAt } from './rules/rule.js';
import type { PositivesOf } from './sampler.js';

export interface MineOptions extends Pick<Provenance, 'source' | 'checkpoint' | 'index' | 'dataFingerprint'> {
  /** How many training queries there are; lists may come for some of them only. */
  queryCount: number;
  /** How many documents the collection has. */
  documentCount: number;
  /** The last rank to look at. */
  depth: number;
  /** Each query's ranking, in any order of the queries. */
  lists: AsyncIterable<RankedList> | Iterable<RankedList>;
  /** All of them are always excluded. */
  positives: PositivesOf;
  /** Applied in this order after the known positives. */
  rules?: readonly CandidateRule[];
  /** Called after each query. */
  onQuery?: () => void;
  /** Called for each candidate that a rule objected to, known positives left out. */
  onDropped?: (dropped: DroppedCandidate) => void;
}

/** A candidate that is none after all. */
export interface DroppedCandidate {
  query: number;
  document: number;
  rank: number;
  /** NaN where the source has none. */
  score: number;
  /** The rule that objected first. */
  rule: string;
}

export interface Mined {
  table: CandidateTable;
  report: MiningReport;
}

/**
 * Turns rankings into candidates for negatives: takes each query's first `depth` documents and drops its known
 * positives and whatever a rule objects to: D⁻ = ANN_f(q) \ D⁺ in Xiong et al. 2020.
 *
 * @example
 * const { table, report } = await mine({
 *   queryCount: queries.length, documentCount, depth: 200, source: 'bm25',
 *   lists: listsFromBm25(index, queries, { depth: 200 }),
 *   positives: positives.of,
 *   rules: [skipRanks(10)],
 * });
 */
export async function mine(options: MineOptions): Promise<Mined> {
  const { queryCount, depth, positives } = options;
  const rules = [knownPositives(), ...(options.rules ?? [])];
  const data = CandidateTable.allocate(queryCount, depth);
  const tally = new Tally(rules);
  const seen = new Uint8Array(queryCount);
  for await (const list of options.lists) {
    checkList(list, options, seen);
    seen[list.query] = 1;
    data.checkpoints[list.query] = options.checkpoint ?? NONE;
    takeCandidates(data, list, positives(list.query), rules, tally, options.onDropped);
    options.onQuery?.();
  }
  const report = tally.report();
  const provenance: Provenance = {
    source: options.source,
    checkpoint: options.checkpoint,
    index: options.index,
    dataFingerprint: options.dataFingerprint,
    documents: options.documentCount,
    rules: rules.map(({ name, parameters }) => ({ name, parameters })),
    report,
    createdBy: CREATED_BY,
  };
  return { table: new CandidateTable({ ...data, provenance }), report };
}

function takeCandidates(
  { depth, ids, scores, ranks }: Omit<CandidateData, 'provenance'>,
  list: RankedList,
  positives: Int32Array,
  rules: readonly CandidateRule[],
  tally: Tally,
  onDropped: MineOptions['onDropped'],
): void {
  const objections = rules.map((rule) => rule.judge(list, positives));
  const start = list.query * depth;
  let end = Math.min(depth, list.ids.length);
  while (end > 0 && rankAt(list, end - 1) > depth) end--;
  let kept = 0;
  let positiveFound = false;
  for (let place = 0; place < end; place++) {
    const objector = objections.findIndex((objects) => objects(place));
    if (objector === 0) positiveFound = true;
    if (objector > 0) {
      const { query, ids, scores } = list;
      const rule = rules[objector].name;
      onDropped?.({ query, document: ids[place], rank: rankAt(list, place), score: scores[place], rule });
    }
    if (objector >= 0) tally.removed[objector]++;
    else {
      ids[start + kept] = list.ids[place];
      scores[start + kept] = list.scores[place];
      const rank = rankAt(list, place);
      ranks[start + kept] = rank;
      tally.rankSum += rank;
      kept++;
    }
  }
  tally.queries++;
  tally.ranked += end;
  tally.kept += kept;
  if (kept === 0) tally.empty++;
  if (positiveFound) tally.positivesFound++;
}

/** Counts for the report; `removed` has one count for each rule. */
class Tally {
  readonly #rules: readonly CandidateRule[];
  readonly removed: Float64Array;
  queries = 0;
  ranked = 0;
  kept = 0;
  empty = 0;
  positivesFound = 0;
  rankSum = 0;

  constructor(rules: readonly CandidateRule[]) {
    this.#rules = rules;
    this.removed = new Float64Array(rules.length);
  }

  report(): MiningReport {
    const { queries, ranked, kept, empty, positivesFound } = this;
    const removed = Object.fromEntries(this.#rules.map(({ name }, i) => [name, this.removed[i]]));
    const meanRank = kept === 0 ? 0 : this.rankSum / kept;
    return { queries, ranked, removed, kept, empty, positivesFound, meanRank };
  }
}

function checkList({ query, ids, scores }: RankedList, options: MineOptions, seen: Uint8Array): void {
  const fail = (message: string, hint?: string): never => {
    throw new NearmissError(`ranking of query ${query}: ${message}`, { hint });
  };
  if (!(query >= 0 && query < options.queryCount)) fail(`expected a query below ${options.queryCount}`);
  if (seen[query]) fail('came twice', 'give each query one list');
  if (ids.length !== scores.length) fail(`expected ${ids.length} scores, got ${scores.length}`);
  const first = ids.subarray(0, options.depth);
  if (new Set(first).size !== first.length) fail('the same document is listed twice');
  for (const id of first) {
    if (!(id >= 0 && id < options.documentCount)) {
      fail(
        `expected documents below ${options.documentCount}, got ${id}`,
        'was the ranking made on another collection?',
      );
    }
  }
}
