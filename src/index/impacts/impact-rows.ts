import { TERM_ROW } from '../../model/scorer/impact.js';
import { forEachPosting } from '../bm25/postings/term-postings.js';
import type { ImpactIndex } from './impact-index.js';

/** Documents as rows of terms and weights. */
export interface ImpactRows {
  /** The rows of document `i` are `offsets[i] … offsets[i + 1] - 1`. */
  offsets: Uint32Array;
  rows: Float32Array;
}

/** What an impact index knows of its documents, by document instead of by term: 8 bytes for each weight, in memory. */
export function impactRows({ postings, metadata: { parameters } }: ImpactIndex): ImpactRows {
  const offsets = new Uint32Array(postings.documents + 1);
  const eachTerm = (visit: (term: number, document: number, impact: number) => void): void => {
    for (let number = 0; number < postings.terms.size; number++) {
      const term = Number(postings.terms.term(number));
      forEachPosting(postings, number, (document, impact) => visit(term, document, impact));
    }
  };
  eachTerm((_, document) => offsets[document + 1]++);
  for (let i = 0; i < postings.documents; i++) offsets[i + 1] += offsets[i];
  const next = offsets.slice();
  const rows = new Float32Array(TERM_ROW * offsets[postings.documents]);
  eachTerm((term, document, impact) => {
    const row = TERM_ROW * next[document]++;
    rows[row] = term;
    rows[row + 1] = impact / parameters.scale;
  });
  return { offsets, rows };
}
