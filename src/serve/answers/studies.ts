import { z } from 'zod';

/** The run of a path. */
export const runParams = z.object({ run: z.string().min(1).max(255) });

export const wantedStep = z
  .union([z.enum(['best', 'newest']), z.coerce.number().int().min(0)])
  .default('best')
  .describe('The checkpoint: best, newest, or its step.');

/** The answer 202. */
export const computing = z
  .object({
    state: z.literal('computing'),
    part: z.string().describe('What is being done.'),
    done: z.int(),
    total: z.int().describe('0 where it is not known.'),
  })
  .meta({ id: 'Computing', description: 'Not ready yet: ask again in a second.' });

const excerpt = {
  id: z.string(),
  title: z.string().optional(),
  excerpt: z.string().describe('The beginning of the text.'),
};

const ranks = z.object({ bm25: z.int().optional(), model: z.int().optional() });

export const spacePicture = z
  .object({
    state: z.literal('ready'),
    query: z.object({ id: z.string(), text: z.string(), splits: z.array(z.string()) }),
    method: z.string(),
    step: z.int(),
    points: z.array(
      z.object({
        ...excerpt,
        kind: z.enum(['query', 'positive', 'ann', 'bm25', 'random']),
        ranks: z.object({ ann: z.int().optional(), bm25: z.int().optional() }),
      }),
    ),
    maps: z
      .array(
        z.object({
          step: z.int(),
          x: z.array(z.number()),
          y: z.array(z.number()),
          scores: z.array(z.number().nullable()),
        }),
      )
      .describe('Where each model puts the points: as it started, and as the checkpoint has it.'),
  })
  .meta({ id: 'SpacePicture' });

export const foundQueries = z.object({
  split: z.string(),
  splits: z.array(z.string()),
  queries: z.array(z.object({ id: z.string(), text: z.string() })),
  more: z.boolean(),
});

const difference = z.object({
  difference: z.number(),
  p: z.number().describe('Paired t-test, corrected (Holm).'),
  significant: z.boolean(),
  wins: z.int(),
  ties: z.int(),
  losses: z.int(),
});

export const quality = z
  .object({
    state: z.literal('ready'),
    split: z.string(),
    splits: z.array(z.string()).describe('Splits that can be asked for.'),
    step: z.int(),
    documents: z.int(),
    measures: z.array(z.string()),
    systems: z.array(
      z.object({
        name: z.enum(['bm25', 'base', 'start', 'model', 'hybrid']),
        label: z.string(),
        means: z.record(z.string(), z.number()),
        against: z.record(z.string(), difference).optional().describe('Against BM25.'),
      }),
    ),
    queries: z.array(
      z.object({
        id: z.string(),
        text: z.string(),
        values: z.record(z.string(), z.object({ bm25: z.number(), model: z.number() })),
      }),
    ),
  })
  .meta({ id: 'Quality' });

const hit = z.object({
  ...excerpt,
  rank: z.int(),
  score: z.number(),
  grade: z.number().optional().describe('Absent where nobody has judged it.'),
  otherRank: z.int().optional().describe('In the other list.'),
});

export const qualityCase = z
  .object({
    id: z.string(),
    text: z.string(),
    relevant: z.array(z.object({ ...excerpt, grade: z.number(), ranks })),
    lists: z.object({ bm25: z.array(hit), model: z.array(hit) }),
  })
  .meta({ id: 'QualityCase' });

export type Computing = z.infer<typeof computing>;
export type SpacePicture = z.infer<typeof spacePicture>;
export type SpacePoint = SpacePicture['points'][number];
export type SpaceMap = SpacePicture['maps'][number];
export type FoundQueries = z.infer<typeof foundQueries>;
export type Quality = z.infer<typeof quality>;
export type QualitySystem = Quality['systems'][number];
export type QualityDifference = z.infer<typeof difference>;
export type QualityQuery = Quality['queries'][number];
export type QualityHit = z.infer<typeof hit>;
export type QualityCase = z.infer<typeof qualityCase>;
