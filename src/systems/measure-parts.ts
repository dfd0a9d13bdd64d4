import type { Qrels } from '../data/index.js';
import { queriesWithoutLabels } from '../run/collection/queries-without-labels.js';
import { measureSystems, type SystemRuns } from './measure-systems.js';
import type { SystemsPart } from './system.js';

export interface MeasurePartsOptions {
  /** Whether a document is relevant to a query that was learned from. */
  isLabelled: (documentId: string) => boolean;
  measures: readonly string[];
  decides: string;
}

/**
 * Measures systems where queries ask for documents that were learned from, and where they ask for others: a model may
 * gain on the first alone. None where all queries are of one kind.
 */
export function measureParts(
  runs: SystemRuns,
  qrels: Qrels,
  { isLabelled, ...measuring }: MeasurePartsOptions,
): { parts?: SystemsPart[] } {
  const queries = [...qrels.keys()];
  const without = new Set(queriesWithoutLabels(queries, qrels, isLabelled));
  if (without.size === 0 || without.size === queries.length) return {};
  const part = (documents: SystemsPart['documents'], isOfIt: (place: number) => boolean): SystemsPart => {
    const own: Qrels = new Map([...qrels].filter((_, place) => isOfIt(place)));
    return { documents, queries: own.size, rows: measureSystems(runs, own, measuring).rows };
  };
  return {
    parts: [
      part('with labels', (place) => !without.has(place)),
      part('without labels', (place) => without.has(place)),
    ],
  };
}
