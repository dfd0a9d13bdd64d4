import { z } from 'zod';
import { version } from './hits.js';

const model = z.object({
  name: z.string().describe('What `model` of /v1/embeddings takes.'),
  dimension: z.int(),
  label: z.string().describe('What to call it: the run it was trained in, or the model as published.'),
  base: z.string().optional().describe('What its training began with.'),
  trainedAt: z.string().optional().describe('ISO 8601; absent where it is as published.'),
});

const collection = z.object({
  name: z.string(),
  path: z.string().describe('What its routes and pages begin with; empty for the first.'),
});

export const info = z
  .object({
    name: z.string(),
    version,
    documents: z.int(),
    modes: z.array(z.string()),
    coming: z.boolean().describe('Whether vectors are being made, with which more modes join in.'),
    defaultMode: z.string(),
    model: model.optional(),
    collections: z.array(collection).describe('All that this server serves, this one among them.'),
    writable: z.boolean(),
    trainable: z.boolean().describe('Whether trainings can be started here.'),
    auth: z.enum(['none', 'required']),
    run: z
      .string()
      .optional()
      .describe('The run that is served, where it is one, or whose model was chosen for the collection.'),
    choosable: z
      .boolean()
      .describe('Whether the collection can be searched with the model of another run: PUT /v1/model.'),
    runs: z.array(z.string()),
    runsOfCollection: z.array(z.string()).describe('Those whose documents are the served ones.'),
  })
  .meta({ id: 'Info' });

export const examples = z.object({ queries: z.array(z.string()) });

export type ServerInfo = z.infer<typeof info>;
export type Examples = z.infer<typeof examples>;
