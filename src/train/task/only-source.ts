import { negatives as sources } from '../../negatives/index.js';
import { documentCount, type RetrievalBatch } from './batch.js';
import type { MadeBatch } from './batch-maker.js';

/**
 * A batch with the negatives of one source alone; `undefined` where it has none. All other documents count as known to
 * be relevant, which leaves them out of any loss: texts, and so dropout, stay those of the whole batch, and what differs
 * between sources is due to the sources.
 */
export function onlySource(batch: MadeBatch, source: string): RetrievalBatch | undefined {
  const documents = [...Array(documentCount(batch)).keys()];
  const negatives = batch.positives.map((_, query) => {
    const relevant = [...(batch.known?.[query] ?? []), batch.positives[query]];
    return new Set(negativesOf(batch, query, source, documents).filter((one) => !relevant.includes(one)));
  });
  if (negatives.every(({ size }) => size === 0)) return undefined;
  return { ...batch, known: negatives.map((own) => documents.filter((document) => !own.has(document))) };
}

/** A document that several sources drew for a query is a negative of each; those of the batch are what none drew. */
function negativesOf(
  batch: MadeBatch,
  query: number,
  source: string,
  documents: readonly number[],
): readonly number[] {
  const drawn = batch.negatives[query];
  if (sources.find(source)?.batch) return documents.filter((document) => !drawn.includes(document));
  return drawn.filter((_, nth) => batch.provenance[query][nth]?.source === source);
}
