import { join } from 'node:path';
import { z } from 'zod';
import { NearmissError } from '../../base/errors.js';
import { exists } from '../../base/files.js';
import { readJsonFile, writeJsonFile } from '../../base/json-file.js';

/** `tune.json`: what a search is and how far it has come; written after every training. */
const TUNE_FILE = 'tune.json';

const resultSchema = z.object({
  step: z.int(),
  /** The dev measure at that step; `null` where training diverged. */
  value: z.number().nullable(),
  /** Of this part of the training, measuring included. */
  seconds: z.number(),
});

const candidateSchema = z.object({
  name: z.string(),
  /** What it changes in the recipe, by the names that were asked for. */
  settings: z.record(z.string(), z.string()),
  /** The step of each rung. */
  steps: z.array(z.int()),
  results: z.array(resultSchema),
  /** The best dev measure of all its checkpoints, once it was trained to its end. */
  best: z.object({ step: z.int(), value: z.number() }).optional(),
});

const tuneSchema = z.object({
  format: z.literal(1),
  /** Stands for everything that the search depends on. */
  key: z.string(),
  recipe: z.string(),
  data: z.string(),
  split: z.string(),
  measure: z.string(),
  /** The dev measure of the model that all start from. */
  start: z.number().optional(),
  /** How many candidates each rung has. */
  sizes: z.array(z.int()),
  candidates: z.array(candidateSchema),
  winner: z.string().optional(),
});

export type TuneState = z.infer<typeof tuneSchema>;
export type TunedCandidate = z.infer<typeof candidateSchema>;

/** Goes on with the search in a folder, or begins it; another search in it is refused. */
export async function beginTune(out: string, fresh: TuneState): Promise<TuneState> {
  const path = join(out, TUNE_FILE);
  if (!(await exists(path))) {
    await writeJsonFile(path, fresh);
    return fresh;
  }
  const found = await readJsonFile(path, tuneSchema, {
    hint: 'the file was changed by hand; choose another folder with --out',
  });
  if (found.key === fresh.key) return found;
  throw new NearmissError(`${out}: another search was begun here (${found.recipe} on ${found.data})`, {
    hint: 'repeat the command it was begun with to go on, or choose another folder with --out',
  });
}

export async function saveTune(out: string, state: TuneState): Promise<void> {
  await writeJsonFile(join(out, TUNE_FILE), state);
}
