import * as binary from './binary.js';
import { type MeasureBody, ParameterError } from './families.js';
import * as gain from './gain.js';
import * as sets from './sets.js';

/** A measure as trec_eval names it, alone (`map`) or with parameters (`P_5`, `P.5,10`). */
export interface TrecFamily {
  readonly name: string;
  /** Values used when none are given; each one makes a measure of its own (`P_5`, `P_10`, …). */
  readonly each?: readonly number[];
  /** Decimals of such a value in the measure's name. */
  readonly decimals?: number;
  /** How many values one measure takes together (`utility.1,-1,0`); 0 when left out. */
  readonly together?: 'one' | 'many';
  readonly make: (values: readonly number[]) => MeasureBody;
}

const CUTOFFS = [5, 10, 15, 20, 30, 100, 200, 500, 1000];
const ELEVEN_POINTS = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];
const MULTIPLES = [0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.6, 1.8, 2];
const RBP_PERSISTENCE = 0.9;

/** In the order in which trec_eval prints them. */
export const TREC_FAMILIES: readonly TrecFamily[] = [
  { name: 'runid', make: () => ({ compute: () => 0, shown: 'all', text: () => '' }) },
  { name: 'num_q', make: () => ({ compute: () => 1, summary: 'sum', integer: true, shown: 'all' }) },
  { name: 'num_ret', make: () => ({ compute: sets.retrieved, summary: 'sum', integer: true }) },
  { name: 'num_rel', make: () => ({ compute: sets.relevant, summary: 'sum', integer: true }) },
  { name: 'num_rel_ret', make: () => ({ compute: sets.relevantRetrieved, summary: 'sum', integer: true }) },
  { name: 'map', make: () => ({ compute: binary.averagePrecision() }) },
  {
    name: 'gm_map',
    make: () => ({ compute: binary.averagePrecision(), summary: 'geometric', shown: 'all' }),
  },
  { name: 'Rprec', make: () => ({ compute: binary.rPrecision }) },
  { name: 'bpref', make: () => ({ compute: binary.bpref }) },
  { name: 'recip_rank', make: () => ({ compute: binary.reciprocalRank() }) },
  {
    name: 'iprec_at_recall',
    each: ELEVEN_POINTS,
    decimals: 2,
    make: ([point]) => ({ compute: binary.interpolatedPrecision(point) }),
  },
  { name: 'P', each: CUTOFFS, make: ([k]) => ({ compute: binary.precision(k) }) },
  {
    name: 'relstring',
    together: 'one',
    make: ([length = 10]) => ({ compute: () => 0, shown: 'query', text: sets.gradeString(length) }),
  },
  { name: 'recall', each: CUTOFFS, make: ([k]) => ({ compute: binary.recall(k) }) },
  { name: 'infAP', make: () => ({ compute: binary.inferredAp }) },
  { name: 'gm_bpref', make: () => ({ compute: binary.bpref, summary: 'geometric', shown: 'all' }) },
  {
    name: 'Rprec_mult',
    each: MULTIPLES,
    decimals: 2,
    make: ([multiple]) => ({ compute: binary.rPrecisionMultiple(multiple) }),
  },
  {
    name: 'utility',
    together: 'many',
    make: (values) => ({ compute: sets.utility(utilityValues(values)) }),
  },
  {
    name: '11pt_avg',
    together: 'many',
    make: (points) => ({ compute: binary.interpolatedAverage(points.length > 0 ? points : ELEVEN_POINTS) }),
  },
  { name: 'binG', make: () => ({ compute: binary.binaryG }) },
  { name: 'G', make: () => ({ compute: gain.normalizedG }) },
  { name: 'ndcg', make: () => ({ compute: gain.ndcg() }) },
  { name: 'ndcg_rel', make: () => ({ compute: gain.ndcgAtRelevant }) },
  { name: 'Rndcg', make: () => ({ compute: gain.ndcgAtLevels }) },
  { name: 'ndcg_cut', each: CUTOFFS, make: ([k]) => ({ compute: gain.ndcg(k) }) },
  { name: 'map_cut', each: CUTOFFS, make: ([k]) => ({ compute: binary.averagePrecision(k) }) },
  { name: 'relative_P', each: CUTOFFS, make: ([k]) => ({ compute: binary.relativePrecision(k) }) },
  { name: 'success', each: [1, 5, 10], make: ([k]) => ({ compute: binary.success(k) }) },
  { name: 'set_P', make: () => ({ compute: sets.setPrecision }) },
  { name: 'set_relative_P', make: () => ({ compute: sets.setRelativePrecision }) },
  { name: 'set_recall', make: () => ({ compute: sets.setRecall }) },
  { name: 'set_map', make: () => ({ compute: sets.setAveragePrecision }) },
  { name: 'set_F', together: 'one', make: ([beta = 1]) => ({ compute: sets.setF(beta) }) },
  {
    name: 'num_nonrel_judged_ret',
    make: () => ({ compute: sets.nonRelevantJudgedRetrieved, summary: 'sum', integer: true }),
  },
  {
    name: 'rbp',
    together: 'one',
    make: ([persistence = RBP_PERSISTENCE]) => ({ compute: gain.rankBiasedPrecision({ persistence }) }),
  },
  { name: 'rbp_resid', make: () => ({ compute: gain.rbpResidual(RBP_PERSISTENCE) }) },
  { name: 'unj', each: [5, 10, 20], make: ([k]) => ({ compute: sets.unjudged(k) }) },
];

/** trec_eval's fourth value is for documents neither relevant nor found, which takes the size of the collection. */
function utilityValues(values: readonly number[]): [number, number, number] {
  if (values.length === 0) return [1, -1, 0];
  const [found, noise, missed, rest = 0] = values;
  if (values.length < 3 || values.length > 4 || rest !== 0) {
    throw new ParameterError(`expected three values, and 0 as a fourth, got ${values.join(',')}`);
  }
  return [found, noise, missed];
}

/** Names for several measures at once. */
export const TREC_NICKNAMES: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'official',
    [
      'runid',
      'num_q',
      'num_ret',
      'num_rel',
      'num_rel_ret',
      'map',
      'gm_map',
      'Rprec',
      'bpref',
      'recip_rank',
      'iprec_at_recall',
      'P',
    ],
  ],
  [
    'set',
    [
      'runid',
      'num_q',
      'num_ret',
      'num_rel',
      'num_rel_ret',
      'utility',
      'set_P',
      'set_relative_P',
      'set_recall',
      'set_map',
      'set_F',
    ],
  ],
  ['all_trec', TREC_FAMILIES.map(({ name }) => name)],
]);
