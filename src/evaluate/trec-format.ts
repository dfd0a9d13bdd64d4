import type { Evaluation } from './evaluate.js';
import type { Measure } from './measure.js';
import { TREC_FAMILIES } from './measures/trec-families.js';

const NAME_WIDTH = 22;

/** Puts measures into the order in which trec_eval prints them; those it does not have come last, as they were. */
export function inTrecOrder(measures: readonly Measure[]): Measure[] {
  return [...measures].sort((a, b) => trecPosition(a) - trecPosition(b));
}

/**
 * An evaluation as trec_eval prints it, so that the two can be compared with `diff`: one line a value, the measure's
 * name, the query's id (`all` for the mean) and the value, with tabs between.
 */
export function* formatTrec(evaluation: Evaluation, options: { perQuery?: boolean } = {}): Generator<string> {
  const { measures, queries, perQuery, texts, mean, tag } = evaluation;
  if (options.perQuery) {
    for (let q = 0; q < queries.length; q++) {
      for (const measure of measures) {
        if (measure.shown === 'all') continue;
        const value = measure.text
          ? `'${texts[measure.name][q]}'`
          : formatValue(measure, perQuery[measure.name][q]);
        yield trecLine(measure, queries[q], value);
      }
    }
  }
  for (const measure of measures) {
    if (measure.shown === 'query') continue;
    yield trecLine(measure, 'all', measure.text ? tag : formatValue(measure, mean[measure.name]));
  }
}

/** A value with four decimals, or none where it is a count. */
export function formatValue(measure: Measure, value: number): string {
  return measure.integer ? String(Math.round(value)) : value.toFixed(4);
}

function trecLine(measure: Measure, query: string, value: string): string {
  return `${(measure.trecName ?? measure.name).padEnd(NAME_WIDTH)}\t${query}\t${value}\n`;
}

function trecPosition({ trecName }: Measure): number {
  if (trecName === undefined) return TREC_FAMILIES.length;
  const exact = TREC_FAMILIES.findIndex(({ name }) => name === trecName);
  if (exact >= 0) return exact;
  const parameter = trecName.lastIndexOf('_');
  return TREC_FAMILIES.findIndex(({ name }) => name === trecName.slice(0, parameter));
}
