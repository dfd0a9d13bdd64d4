import { NearmissError } from '../../base/errors.js';

/** How sequences are chosen among all that could be written. */
export interface GenerateOptions {
  /** Most tokens that are written, the one that ends included. */
  maxTokens: number;
  /** Fewest tokens before the end. Default 0. */
  minTokens?: number;
  /** Divides the logits of tokens that were written already (multiplies negative ones); 1 changes nothing. Default 1. */
  repetitionPenalty?: number;
  /** No run of this many tokens is written twice; 0 allows it. Default 0. */
  noRepeat?: number;
  /** Tokens that are never written. */
  suppress?: ArrayLike<number>;
  /** `sample` draws, `beam` looks for the most probable, `greedy` takes the most probable token each time. */
  search: { kind: 'greedy' } | SampleOptions | BeamOptions;
}

export interface SampleOptions {
  kind: 'sample';
  /** Sequences for each text. */
  copies: number;
  /** Only the k most probable tokens; 0 for all. */
  topK: number;
  /** Of these only the most probable whose probabilities add up to p. */
  topP: number;
  temperature: number;
  seed: number;
  /** What the draws for a text depend on besides the seed, so that they are the same in any batch; by default its place. */
  keys?: readonly number[];
}

export interface BeamOptions {
  kind: 'beam';
  /** Sequences that are kept while writing. */
  beams: number;
  /** The best of them that are given. */
  copies: number;
  /** Sums of log probabilities are divided by length to this power: above 0 favours longer sequences. */
  lengthPenalty: number;
}

/** Refuses options that make no sense, alone or together. */
export function checkGenerateOptions(options: GenerateOptions): void {
  const refuse = (name: string, expected: string, got: unknown): never => {
    throw new NearmissError(`${name}: expected ${expected}, got ${got}`, {
      hint: 'usual is top-k 10 with temperature 1 (docT5query), or a beam of 4',
    });
  };
  const { maxTokens, minTokens = 0, repetitionPenalty = 1, noRepeat = 0, search } = options;
  const whole = (name: string, value: number, least: number): void => {
    if (!Number.isInteger(value) || value < least) refuse(name, `a whole number from ${least}`, value);
  };
  whole('maxTokens', maxTokens, 1);
  whole('minTokens', minTokens, 0);
  if (minTokens >= maxTokens) refuse('minTokens', `fewer than maxTokens (${maxTokens})`, minTokens);
  whole('noRepeat', noRepeat, 0);
  if (!(repetitionPenalty > 0)) refuse('repetitionPenalty', 'a number above 0', repetitionPenalty);
  if (search.kind === 'greedy') return;
  whole('copies', search.copies, 1);
  if (search.kind === 'beam') {
    whole('beams', search.beams, 1);
    if (search.copies > search.beams)
      refuse('copies', `at most as many as beams (${search.beams})`, search.copies);
    return;
  }
  whole('topK', search.topK, 0);
  if (!(search.topP > 0 && search.topP <= 1)) refuse('topP', 'a number above 0 and up to 1', search.topP);
  if (!(search.temperature > 0)) refuse('temperature', 'a number above 0', search.temperature);
}
