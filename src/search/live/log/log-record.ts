import { z } from 'zod';
import { parseJson } from '../../../base/json-file.js';
import { bytesOf } from '../../../base/numbers/bytes-of.js';
import type { Document } from '../../../data/index.js';

/** One id as a write left it. */
export interface LiveEntry {
  id: string;
  /** The write it came with. */
  sequence: number;
  /** Absent where the id was removed. */
  document?: Document;
  /** The document's vectors, one after another, where a model made them. */
  vectors?: Float32Array;
}

/** What a log record says: one write, or (in a snapshot) what is left of many. */
export interface LogRecord {
  /** The number of the last write that it covers. */
  sequence: number;
  entries: LiveEntry[];
  /** Which model made the vectors (model-key.ts). */
  model?: string;
  /** Entries up to this sequence are in the base and were dropped. */
  forget?: number;
}

const count = z.int().min(0);

const headSchema = z.object({
  sequence: count,
  model: z.string().optional(),
  forget: count.optional(),
  entries: z.array(
    z.object({
      id: z.string(),
      /** Left out where it is the record's. */
      sequence: count.optional(),
      document: z
        .object({
          title: z.string().optional(),
          text: z.string(),
          metadata: z.record(z.string(), z.unknown()).optional(),
        })
        .optional(),
      /** How many numbers of the record's tail are this document's. */
      numbers: count.optional(),
    }),
  ),
});

/** Length of the JSON head (u32), the head, then the vectors as little-endian floats. */
export function encodeRecord({ sequence, entries, model, forget }: LogRecord): Buffer {
  const head = Buffer.from(
    JSON.stringify({
      sequence,
      model,
      forget,
      entries: entries.map((entry) => ({
        id: entry.id,
        sequence: entry.sequence === sequence ? undefined : entry.sequence,
        document: entry.document && { ...entry.document, id: undefined },
        numbers: entry.vectors?.length,
      })),
    }),
  );
  const start = Buffer.alloc(4);
  start.writeUInt32LE(head.length);
  const vectors = entries.flatMap((entry) => (entry.vectors ? [bytesOf(entry.vectors)] : []));
  return Buffer.concat([start, head, ...vectors]);
}

/** @param where names the record's place in error messages */
export function decodeRecord(record: Buffer, where: string): LogRecord {
  const headEnd = 4 + record.readUInt32LE(0);
  const head = parseJson(record.toString('utf8', 4, headEnd), { where, schema: headSchema });
  let at = headEnd;
  const entries = head.entries.map(({ id, sequence = head.sequence, document, numbers }): LiveEntry => {
    const entry: LiveEntry = { id, sequence };
    if (document) entry.document = { id, ...document };
    if (numbers !== undefined) {
      // A copy, because floats must be aligned and the record's buffer should not be kept alive.
      entry.vectors = new Float32Array(numbers);
      bytesOf(entry.vectors).set(record.subarray(at, at + 4 * numbers));
      at += 4 * numbers;
    }
    return entry;
  });
  return { sequence: head.sequence, entries, model: head.model, forget: head.forget };
}
