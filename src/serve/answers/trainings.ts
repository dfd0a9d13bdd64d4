import { z } from 'zod';

const recipe = z.object({
  name: z.string().describe('Empty: what `nearmiss train` does where no recipe is named.'),
  description: z.string(),
});

const split = z.object({ name: z.string(), judgments: z.int(), queries: z.int() });

const adaptation = z.object({
  verdict: z.enum(['better', 'level', 'not better', 'too little']),
  reason: z.string().optional().describe('Where there was too little to learn from: of what.'),
  measure: z.string().optional().describe('What `start` and `adapted` are values of.'),
  isMade: z
    .boolean()
    .optional()
    .describe('Whether the queries it was measured on were made of the documents, and not asked by people.'),
  kinds: z
    .array(
      z.object({
        kind: z.string(),
        queries: z.int(),
        start: z.number(),
        adapted: z.number(),
        p: z.number().describe('Two-sided, of the paired t-test.'),
      }),
    )
    .describe('Held-out queries by kind, before and after.'),
});

export const training = z
  .object({
    run: z.string().describe('What it is called among the runs.'),
    kind: z.enum(['train', 'adapt']),
    state: z.enum(['running', 'stopping', 'finished', 'stopped', 'failed']),
    startedAt: z.string(),
    endedAt: z.string().optional(),
    problem: z.string().optional().describe('Why it failed.'),
    adaptation: adaptation.optional().describe('What came of an `adapt` that has finished.'),
  })
  .meta({ id: 'Training' });

export const trainings = z.object({
  possible: z.boolean().describe('Whether whoever may write can start one.'),
  reason: z.string().optional().describe('Why not.'),
  adaptable: z
    .boolean()
    .describe('Whether whoever may write can adapt a model to the documents, which needs no labels.'),
  splits: z.array(split).describe('What there is to learn from.'),
  recipes: z.array(recipe),
  newest: training.optional().describe('The one that was started last, by this server.'),
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
export type Adaptation = z.infer<typeof adaptation>;
export type MiningPreview = z.infer<typeof miningPreview>;
