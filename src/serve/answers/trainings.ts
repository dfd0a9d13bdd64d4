import { z } from 'zod';

const recipe = z.object({
  name: z.string().describe('Empty: what `nearmiss train` does where no recipe is named.'),
  description: z.string(),
});

const split = z.object({ name: z.string(), judgments: z.int(), queries: z.int() });

export const training = z
  .object({
    run: z.string().describe('What it is called among the runs.'),
    state: z.enum(['running', 'stopping', 'finished', 'stopped', 'failed']),
    startedAt: z.string(),
    endedAt: z.string().optional(),
    problem: z.string().optional().describe('Why it failed.'),
  })
  .meta({ id: 'Training' });

export const trainings = z.object({
  possible: z.boolean().describe('Whether whoever may write can start one.'),
  reason: z.string().optional().describe('Why not.'),
  splits: z.array(split).describe('What there is to learn from.'),
  recipes: z.array(recipe),
  newest: training.optional().describe('The one that was started last, by this server.'),
});

export type Training = z.infer<typeof training>;
export type TrainingsAnswer = z.infer<typeof trainings>;
