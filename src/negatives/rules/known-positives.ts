import type { CandidateRule } from './rule.js';

/** Drops every document judged relevant to the query. Mining applies it always. */
export function knownPositives(): CandidateRule {
  return {
    name: 'known-positives',
    parameters: {},
    judge: ({ ids }, positives) => {
      const known = new Set(positives);
      return (place) => known.has(ids[place]);
    },
  };
}
