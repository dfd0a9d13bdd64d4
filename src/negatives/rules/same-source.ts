import type { CandidateRule } from './rule.js';

/** Drops candidates that were written as one with a known positive: passages of the same file or article. */
export function sameSource(sourceOf: (document: number) => number): CandidateRule {
  return {
    name: 'same-source',
    parameters: {},
    judge: ({ ids }, positives) => {
      const sources = new Set(Array.from(positives, sourceOf));
      return (place) => sources.has(sourceOf(ids[place]));
    },
  };
}
