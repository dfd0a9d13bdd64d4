import type { Analyzer } from '../../text/analyzers/index.js';
import type { PieceWords } from '../../text/piece-words.js';
import { TERM_ROW } from '../scorer/impact.js';
import { termsAt } from './term-spans.js';

/** How weights become term frequencies. */
export interface FrequencyOptions {
  /** Of weight y: `linear` scale·y (DeepCT's paper), `sqrt` scale·√y, which keeps more terms (its authors' later choice). */
  transform: 'linear' | 'sqrt';
  scale: number;
  /** How the passages of a document are put together (HDCT): added up, weighed by 1/place, averaged, or the greatest. */
  combine: 'sum' | 'decay' | 'mean' | 'max';
}

export const FREQUENCY_DEFAULTS: FrequencyOptions = { transform: 'sqrt', scale: 100, combine: 'sum' };

/** What reads the tokens of a model, for {@link documentFrequencies}. */
export interface TermReader {
  words: PieceWords;
  analyzer: Analyzer;
  /** The token that every passage begins with. */
  start: number | undefined;
}

/**
 * The term frequencies that a model's rows stand for, to be indexed in place of counts (DeepCT; for several passages
 * HDCT): a term that stands several times in a passage has its greatest weight there, weights below 0 are none, and what
 * rounds to 0 is left out.
 *
 * @param rows tokens and their weights, passage after passage, each with its special tokens
 */
export function documentFrequencies(
  rows: Float32Array,
  reader: TermReader,
  { transform, scale, combine }: FrequencyOptions,
): Map<string, number> {
  const passages = passagesOf(rows, reader);
  const sums = new Map<string, number>();
  passages.forEach((passage, nth) => {
    const factor = combine === 'decay' ? 1 / (nth + 1) : combine === 'mean' ? 1 / passages.length : 1;
    for (const [term, weight] of greatestWeights(passage, reader)) {
      // A passage's frequency is a whole number before passages are put together, as in HDCT.
      const frequency = Math.round(scale * (transform === 'sqrt' ? Math.sqrt(weight) : weight)) * factor;
      const before = sums.get(term) ?? 0;
      sums.set(term, combine === 'max' ? Math.max(before, frequency) : before + frequency);
    }
  });
  const frequencies = new Map<string, number>();
  for (const [term, sum] of sums) if (sum >= 1) frequencies.set(term, Math.floor(sum));
  return frequencies;
}

/** The greatest weight of each term above 0. */
export function greatestWeights(rows: Float32Array, { words, analyzer }: TermReader): Map<string, number> {
  const ids = Array.from({ length: rows.length / TERM_ROW }, (_, row) => rows[row * TERM_ROW]);
  const weights = new Map<string, number>();
  for (const { term, token } of termsAt(ids, words, analyzer)) {
    const weight = rows[token * TERM_ROW + 1];
    if (weight > (weights.get(term) ?? 0)) weights.set(term, weight);
  }
  return weights;
}

/** Every passage begins with the token that begins all inputs. */
function passagesOf(rows: Float32Array, { start }: TermReader): Float32Array[] {
  const starts: number[] = [];
  for (let at = 0; at < rows.length; at += TERM_ROW) if (at === 0 || rows[at] === start) starts.push(at);
  return starts.map((from, i) => rows.subarray(from, starts[i + 1] ?? rows.length));
}
