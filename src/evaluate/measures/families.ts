import type { Measure } from '../measure.js';
import * as binary from './binary.js';
import * as gain from './gain.js';
import * as sets from './sets.js';

/** Values given in the parentheses of a measure's name. */
export interface MeasureParameters {
  /** The lowest relevant grade. */
  rel?: number;
  judged_only?: boolean;
  dcg?: string;
  gains?: Map<number, number>;
  p?: number;
  beta?: number;
  relative?: boolean;
  scope?: string;
}

/** Everything of a measure but its name and level. */
export type MeasureBody = Omit<Measure, 'name' | 'level' | 'judgedOnly'>;

/** A kind of measure in the grammar of ir_measures: `Name(parameter=value)@cutoff`. */
export interface MeasureFamily {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** One line for `--help` and the documentation. */
  readonly about: string;
  /** Whether `@` must, may or must not follow; `recall` is a point between 0 and 1. */
  readonly cutoff: 'required' | 'optional' | 'none' | 'recall';
  readonly parameters: readonly (keyof MeasureParameters)[];
  readonly make: (parameters: MeasureParameters, cutoff: number | undefined) => MeasureBody;
  /** What trec_eval calls it, when no parameters are given. */
  readonly trecName?: (cutoff: number | undefined) => string | undefined;
}

const BINARY = ['rel', 'judged_only'] as const;

/** The measures, in the order in which `nearmiss eval --list` shows them. */
export const MEASURE_FAMILIES: readonly MeasureFamily[] = [
  {
    name: 'nDCG',
    about:
      "normalised discounted cumulative gain; dcg='exp-log2' has gains 2^grade − 1, gains={1:3,2:7} any others",
    cutoff: 'optional',
    parameters: ['dcg', 'gains', 'judged_only'],
    make: (parameters, k) => ({ compute: gain.ndcg(k, gainOf(parameters)) }),
    trecName: (k) => (k === undefined ? 'ndcg' : `ndcg_cut_${k}`),
  },
  {
    name: 'RR',
    aliases: ['MRR'],
    about: 'one over the rank of the first relevant document',
    cutoff: 'optional',
    parameters: BINARY,
    make: (_, k) => ({ compute: binary.reciprocalRank(k) }),
    trecName: (k) => (k === undefined ? 'recip_rank' : undefined),
  },
  {
    name: 'AP',
    aliases: ['MAP'],
    about: 'average precision',
    cutoff: 'optional',
    parameters: BINARY,
    make: (_, k) => ({ compute: binary.averagePrecision(k) }),
    trecName: (k) => (k === undefined ? 'map' : `map_cut_${k}`),
  },
  {
    name: 'R',
    aliases: ['Recall'],
    about: 'share of the relevant documents that were found',
    cutoff: 'required',
    parameters: BINARY,
    make: (_, k) => ({ compute: binary.recall(k!) }),
    trecName: (k) => `recall_${k}`,
  },
  {
    name: 'P',
    aliases: ['Precision'],
    about: 'share of relevant documents among the first',
    cutoff: 'required',
    parameters: BINARY,
    make: (_, k) => ({ compute: binary.precision(k!) }),
    trecName: (k) => `P_${k}`,
  },
  {
    name: 'Success',
    aliases: ['Hit', 'HitRate'],
    about: 'share of queries with a relevant document among the first',
    cutoff: 'required',
    parameters: BINARY,
    make: (_, k) => ({ compute: binary.success(k!) }),
    trecName: (k) => `success_${k}`,
  },
  {
    name: 'Coverage',
    about:
      'share of queries with a passage that holds an answer among the first (needs a dataset with answers)',
    cutoff: 'required',
    parameters: [],
    make: (_, k) => ({ compute: sets.coverage(k!), needs: 'answers', depth: k }),
  },
  {
    name: 'Judged',
    about: 'share of the first hits that have a judgment',
    cutoff: 'required',
    parameters: [],
    make: (_, k) => ({ compute: sets.judged(k!) }),
  },
  {
    name: 'Hole',
    about: "share of the first hits without a judgment for the query; scope='any': for any query (BEIR)",
    cutoff: 'optional',
    parameters: ['scope'],
    make: ({ scope = 'query' }, k = Number.POSITIVE_INFINITY) => ({
      compute: oneOf('scope', scope, { query: sets.hole(k), any: sets.holeAnywhere(k) }),
    }),
  },
  {
    name: 'Rprec',
    aliases: ['RPrec'],
    about: 'precision at the rank that equals the number of relevant documents',
    cutoff: 'none',
    parameters: BINARY,
    make: () => ({ compute: binary.rPrecision }),
    trecName: () => 'Rprec',
  },
  {
    name: 'Bpref',
    aliases: ['BPref'],
    about: 'share of judged non-relevant documents below the relevant ones',
    cutoff: 'none',
    parameters: ['rel'],
    make: () => ({ compute: binary.bpref }),
    trecName: () => 'bpref',
  },
  {
    name: 'infAP',
    about: 'average precision inferred from a sampled pool',
    cutoff: 'none',
    parameters: ['rel'],
    make: () => ({ compute: binary.inferredAp }),
    trecName: () => 'infAP',
  },
  {
    name: 'IPrec',
    about: 'interpolated precision at a point of recall, e.g. IPrec@0.1',
    cutoff: 'recall',
    parameters: BINARY,
    make: (_, point) => ({ compute: binary.interpolatedPrecision(point!) }),
    trecName: (point) => `iprec_at_recall_${point!.toFixed(2)}`,
  },
  {
    name: 'RBP',
    about: 'rank-biased precision, persistence p (default 0.8); graded unless rel is given',
    cutoff: 'optional',
    parameters: ['p', 'rel'],
    make: ({ p = 0.8, rel }, cutoff) => ({
      compute: gain.rankBiasedPrecision({ persistence: p, cutoff, binary: rel !== undefined }),
    }),
  },
  {
    name: 'SetP',
    about: 'precision of all hits; relative=True: over the best possible',
    cutoff: 'none',
    parameters: [...BINARY, 'relative'],
    make: ({ relative }) => ({ compute: relative ? sets.setRelativePrecision : sets.setPrecision }),
    trecName: () => 'set_P',
  },
  {
    name: 'SetR',
    about: 'recall of all hits',
    cutoff: 'none',
    parameters: ['rel'],
    make: () => ({ compute: sets.setRecall }),
    trecName: () => 'set_recall',
  },
  {
    name: 'SetF',
    about: 'F of all hits; beta as in trec_eval (not squared)',
    cutoff: 'none',
    parameters: [...BINARY, 'beta'],
    make: ({ beta = 1 }) => ({ compute: sets.setF(beta) }),
    trecName: () => 'set_F',
  },
  {
    name: 'SetAP',
    about: 'precision times recall of all hits',
    cutoff: 'none',
    parameters: BINARY,
    make: () => ({ compute: sets.setAveragePrecision }),
    trecName: () => 'set_map',
  },
  {
    name: 'NumQ',
    about: 'number of queries',
    cutoff: 'none',
    parameters: [],
    make: () => ({ compute: () => 1, summary: 'sum', integer: true, shown: 'all' }),
    trecName: () => 'num_q',
  },
  {
    name: 'NumRet',
    about: 'number of hits; rel=1: of relevant hits',
    cutoff: 'none',
    parameters: ['rel'],
    make: ({ rel }) => ({
      compute: rel === undefined ? sets.retrieved : sets.relevantRetrieved,
      summary: 'sum',
      integer: true,
    }),
    trecName: () => 'num_ret',
  },
  {
    name: 'NumRelRet',
    about: 'number of relevant hits',
    cutoff: 'none',
    parameters: ['rel'],
    make: () => ({ compute: sets.relevantRetrieved, summary: 'sum', integer: true }),
    trecName: () => 'num_rel_ret',
  },
  {
    name: 'NumRel',
    about: 'number of relevant documents',
    cutoff: 'none',
    parameters: ['rel'],
    make: () => ({ compute: sets.relevant, summary: 'sum', integer: true }),
    trecName: () => 'num_rel',
  },
];

/** A parameter has a value that the measure does not know; the parser adds the measure's name. */
export class ParameterError extends Error {}

function gainOf({ dcg = 'log2', gains }: MeasureParameters): gain.Gain {
  const formula = oneOf('dcg', dcg, { log2: gain.linearGain, 'exp-log2': gain.exponentialGain });
  return gains ? gain.tableGain(gains) : formula;
}

function oneOf<T>(parameter: string, value: string, choices: Record<string, T>): T {
  if (Object.hasOwn(choices, value)) return choices[value];
  const expected = Object.keys(choices)
    .map((choice) => `'${choice}'`)
    .join(' or ');
  throw new ParameterError(`parameter "${parameter}": expected ${expected}, got '${value}'`);
}
