import { z } from 'zod';

const recipe = z.object({
  name: z.string().describe('Empty: what `nearmiss train` does where no recipe is named.'),
  description: z.string(),
});

const split = z.object({ name: z.string(), judgments: z.int(), queries: z.int() });

export const training = z
  .object({
    run: z.string().describe('What it is called among the runs.'),
    kind: z.enum(['train', 'adapt']),
    state: z.enum(['running', 'stopping', 'finished', 'stopped', 'failed']),
    startedAt: z.string(),
    endedAt: z.string().optional(),
    problem: z.string().optional().describe('Why it failed.'),
    tooLittle: z
      .string()
      .optional()
      .describe('Where there was too little for `adapt` to learn from, of what: then there is no run.'),
  })
  .meta({ id: 'Training' });

export const trainings = z.object({
  possible: z.boolean().describe('Whether whoever may write can start one.'),
  reason: z.string().optional().describe('Why not.'),
  adaptable: z
    .boolean()
    .describe('Whether whoever may write can adapt a model to the documents, which needs no labels.'),
  questions: z
    .object({ marked: z.int(), enough: z.int() })
    .optional()
    .describe(
      'Queries with marked hits, and how many of them decide in the place of queries that `adapt` makes.',
    ),
  splits: z.array(split).describe('What there is to learn from.'),
  recipes: z.array(recipe),
  newest: training.optional().describe('The one that was started last, since this server began.'),
});

const sampleDocument = z.object({
  id: z.string(),
  text: z.string(),
  rank: z.int().optional(),
  score: z.number().optional(),
});

export const miningPreview = z.object({
  split: z.string(),
  mode: z.string(),
  queries: z.int().describe('How many were looked at.'),
  ranked: z.int().describe('Candidates of all of them.'),
  kept: z.int(),
  removed: z.record(z.string(), z.int()).describe('By rule, each of what those before it left.'),
  samples: z.array(
    z.object({
      id: z.string(),
      query: z.string(),
      positives: z.array(sampleDocument),
      negatives: z.array(sampleDocument).describe('The hardest that are kept.'),
      dropped: z
        .array(sampleDocument.extend({ rule: z.string() }))
        .describe('The hardest that each rule drops.'),
    }),
  ),
});

export type Training = z.infer<typeof training>;
export type TrainingsAnswer = z.infer<typeof trainings>;
export type MiningPreview = z.infer<typeof miningPreview>;
