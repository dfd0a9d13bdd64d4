import { z } from 'zod';
import { version } from './hits.js';

const preparation = z.object({
  label: z.string().describe('E.g. encode with sentence-transformers/all-MiniLM-L6-v2.'),
  unit: z.string(),
  done: z.int(),
  total: z.int().optional(),
  secondsLeft: z.int().optional(),
});

export const status = z.object({
  version: version.optional().describe('Left out until the first version answers.'),
  preparing: z.array(preparation),
  coming: z.boolean().describe('Whether a version with more ways to search will take over by itself.'),
  model: z
    .string()
    .optional()
    .describe('What was chosen to search with and takes over by itself: a run, or the model as published.'),
  failure: z.string().optional().describe('Why something that was to come does not.'),
});

export type Preparation = z.infer<typeof preparation>;
export type ServerStatus = z.infer<typeof status>;
