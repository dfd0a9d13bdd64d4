import type { CandidateRule } from './rule.js';

/** Drops candidates whose text is that of a known positive under another id. */
export function duplicates(fingerprintOf: (document: number) => number): CandidateRule {
  return {
    name: 'duplicates',
    parameters: {},
    judge: ({ ids }, positives) => {
      const known = new Set(Array.from(positives, fingerprintOf));
      return (place) => known.has(fingerprintOf(ids[place]));
    },
  };
}
