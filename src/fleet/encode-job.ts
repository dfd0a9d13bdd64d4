import { createHash } from 'node:crypto';
import { z } from 'zod';
import { NearmissError } from '../base/errors.js';

/** The queue's name in Redis. */
export const ENCODE_QUEUE = 'nearmiss-encode';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const jobSchema = z.object({
  /** SHA-256 of everything the rows depend on: model, settings, texts. */
  id: sha256,
  /** How many texts. */
  texts: z.int().min(1),
  /** The model's folder in the store, and what it must hold. */
  model: z.string().regex(/^[\w-]+$/),
  weights: sha256,
  tokenizer: sha256,
  dimension: z.int().min(1),
  use: z.enum(['query', 'document']),
  precision: z.enum(['fp32', 'int8']),
});

/** One shard to encode. Texts and vectors are in the store, never in Redis. */
export type EncodeJob = z.infer<typeof jobSchema>;

/** The name of a shard: SHA-256 of everything its rows depend on. */
export function shardId(
  { model, weights, tokenizer, dimension, use, precision }: Omit<EncodeJob, 'id' | 'texts'>,
  texts: readonly string[],
): string {
  return hashOf({ model, weights, tokenizer, dimension, use, precision, texts });
}

export function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

/** What a queue holds may be of another version. */
export function readJob(data: unknown): EncodeJob {
  const parsed = jobSchema.safeParse(data);
  if (parsed.success) return parsed.data;
  const [{ path, message }] = parsed.error.issues;
  throw new NearmissError(`the queue's job: field "${path.join('.')}": ${message}`, {
    hint: 'workers and whoever asks them must have the same version of nearmiss',
  });
}
