import { createHash } from 'node:crypto';
import { z } from 'zod';
import { NearmissError } from '../base/errors.js';

/** The queue's name in Redis. */
export const FLEET_QUEUE = 'nearmiss-fleet';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const setting = z.union([z.string(), z.number(), z.boolean()]);

const jobSchema = z.object({
  /** SHA-256 of everything the result depends on: model, settings, input. */
  id: sha256,
  /** What is to be done; see src/cli/fleet. */
  task: z.string(),
  /** How many texts, pairs or passages. */
  items: z.int().min(1),
  /** The model's folder in the store. */
  model: z.string().regex(/^[\w-]+$/),
  /** What a worker must find in it, e.g. the SHA-256 of weights and tokenizer. */
  expects: z.record(z.string(), setting),
  settings: z.record(z.string(), z.unknown()),
  /** Whose shards these are, and of which step: those of an earlier one are given up. */
  group: z.string().optional(),
  order: z.int().optional(),
});

/** One shard of work. Input and result are in the store, never in Redis. */
export type FleetJob = z.infer<typeof jobSchema>;

/** What all jobs of one asker have in common. */
export type FleetJobSettings = Omit<FleetJob, 'id' | 'items'>;

/** The name of a shard: SHA-256 of everything its result depends on. */
export function shardId(
  { task, model, expects, settings }: FleetJobSettings,
  items: number,
  input: Uint8Array,
): string {
  const decisive = JSON.stringify([task, model, expects, settings, items]);
  return createHash('sha256').update(decisive).update(input).digest('hex');
}

/** What a queue holds may be of another version. */
export function readJob(data: unknown): FleetJob {
  const parsed = jobSchema.safeParse(data);
  if (parsed.success) return parsed.data;
  const [{ path, message }] = parsed.error.issues;
  throw new NearmissError(`the queue's job: field "${path.join('.')}": ${message}`, {
    hint: 'workers and whoever asks them must have the same version of nearmiss',
  });
}

/** The key in Redis that says which step of a group is the newest. */
export function newestKey(group: string): string {
  return `${FLEET_QUEUE}:newest:${group}`;
}
