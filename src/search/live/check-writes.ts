import { z } from 'zod';
import { NearmissError } from '../../base/errors.js';
import { validate } from '../../base/json-file.js';
import type { Document } from '../../data/index.js';
import type { LiveLimits, PendingWrites } from './live-searcher.js';

export const DEFAULT_LIMITS: Required<LiveLimits> = {
  documents: 100_000,
  removals: 1_000_000,
  bytes: 2 ** 30,
};

const MAX_ID_LENGTH = 1024;

const idSchema = z
  .string()
  .min(1, 'expected an id of at least one character')
  .max(MAX_ID_LENGTH, `expected an id of at most ${MAX_ID_LENGTH} characters`)
  .refine((id) => !/[\t\r\n]/.test(id), 'expected an id without tabs and line breaks');

const documentSchema = z.object({
  id: idSchema,
  title: z.string().optional(),
  text: z.string(),
  metadata: z.record(z.string(), z.json()).optional(),
});

/** Copies documents that are as they should be; of several with one id the last counts. */
export function checkDocuments(documents: readonly Document[]): Document[] {
  const byId = new Map<string, Document>();
  documents.forEach((document, i) => {
    const checked = validate<Document>(document, { where: `documents[${i}]`, schema: documentSchema });
    byId.delete(checked.id);
    byId.set(checked.id, structuredClone(checked));
  });
  return [...byId.values()];
}

export function checkIds(ids: readonly string[]): string[] {
  for (const [i, id] of ids.entries()) validate(id, { where: `ids[${i}]`, schema: idSchema });
  return [...new Set(ids)];
}

/** Refuses a write that would make the overlay too large; one that makes it smaller is always welcome. */
export function checkLimits(cost: PendingWrites, after: PendingWrites, limits: Required<LiveLimits>): void {
  for (const what of ['documents', 'removals', 'bytes'] as const) {
    if (cost[what] > 0 && after[what] > limits[what]) {
      throw new NearmissError(
        `expected at most ${limits[what]} ${what} on top of the index, got ${after[what]}`,
        {
          hint: 'export the collection, build a new index from it and swap to that; or raise the limit if there is memory',
        },
      );
    }
  }
}
