import { z } from 'zod';

/*
 * What the server answers, written once: the routes describe and the web UI reads it. Nothing but zod is imported
 * here, so that the browser's types do not drag the server along.
 */

export const version = z.string().describe('The version of the index that answered.');

const scorePart = z.object({
  name: z.string().describe('E.g. bm25, dense, cross-encoder.'),
  score: z.number().optional().describe('Before fusion.'),
  rank: z.int().optional().describe("From 1, in that part's own ranking."),
  contribution: z.number().optional().describe('What it added to the fused score.'),
  terms: z
    .array(
      z.object({
        term: z.string(),
        score: z.number(),
        query: z.number().optional().describe('Learned weights: what the term weighs in the query.'),
        document: z.number().optional().describe('Learned weights: what the term weighs in the document.'),
        notIn: z
          .array(z.enum(['query', 'document']))
          .optional()
          .describe('Which of the two the model expanded with the term.'),
      }),
    )
    .optional()
    .describe(
      'BM25, and learned sparse models (first 20 hits): what the terms gave, the 100 that gave most.',
    ),
  weights: z
    .object({
      document: z
        .array(z.object({ token: z.string(), weight: z.number() }))
        .describe("The document's tokens as the model read them, and what each weighs."),
      expansion: z
        .array(z.object({ term: z.string(), weight: z.number() }))
        .describe('What it was expanded with: the heaviest terms that do not stand in it.'),
    })
    .optional()
    .describe(
      'Learned sparse models, first 20 hits: what the terms of the document weigh, whatever was asked.',
    ),
  matches: z
    .object({
      document: z.array(z.string()).describe("The document's tokens as the model read them."),
      query: z.array(
        z.object({
          token: z.string(),
          chose: z.int().describe("The place of the document's token that fits best."),
          score: z.number().describe('What the token gave to the score.'),
        }),
      ),
    })
    .optional()
    .describe("Late interaction, first 20 hits: which of the document's tokens each of the query's chose."),
});

export const highlights = z
  .array(z.tuple([z.int(), z.int()]))
  .describe('Start and end (exclusive) of what matched, in UTF-16 units.');

const snippet = z.object({
  text: z.string(),
  highlights,
  parts: z
    .array(z.object({ isCode: z.boolean(), text: z.string(), highlights }))
    .optional()
    .describe('Where it holds code: its prose and its code one after the other, code with its lines.'),
  cutBefore: z.literal(true).optional().describe('Where text was left out before it.'),
  cutAfter: z.literal(true).optional().describe('Where text was left out behind it.'),
});

export const place = z
  .object({
    path: z.string(),
    anchor: z.string().optional(),
    line: z.int().optional(),
    previous: z.string().optional(),
    next: z.string().optional(),
  })
  .describe('Of a passage of a folder: its file, where in it, and the ids of the passages around it.');

export const hit = z
  .object({
    id: z.string(),
    score: z.number(),
    title: z.string().optional(),
    titleHighlights: highlights.optional(),
    snippet: snippet.optional(),
    metadata: z.record(z.string(), z.unknown()).optional(),
    place: place.optional(),
    group: z
      .object({
        value: z.string(),
        others: z.array(z.object({ id: z.string(), score: z.number() })),
      })
      .optional()
      .describe('With groupBy: what the group has in common, and its other hits.'),
    parts: z.array(scorePart).optional(),
  })
  .meta({ id: 'Hit' });

const head = {
  version,
  mode: z.string().describe('What was searched with.'),
  tookMs: z.number(),
};

export const searchAnswer = z.object({ ...head, hits: z.array(hit) });

export const batchAnswer = z.object({ ...head, results: z.array(z.object({ hits: z.array(hit) })) });

export const neighbours = z.object({ version, hits: z.array(hit) });

export type ScorePart = z.infer<typeof scorePart>;
export type Snippet = z.infer<typeof snippet>;
export type Place = z.infer<typeof place>;
export type Hit = z.infer<typeof hit>;
export type SearchAnswer = z.infer<typeof searchAnswer>;
export type Neighbours = z.infer<typeof neighbours>;
