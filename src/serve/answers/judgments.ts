import { z } from 'zod';

export const judgment = z
  .object({
    query: z.string().describe('The text of the query.'),
    document: z.string().describe('Its id.'),
    grade: z.int().nullable().describe('0: wrong; from 1: right. null takes a judgment back.'),
    at: z.string().optional().describe('ISO 8601.'),
    by: z.string().optional().describe('The name or id of the API key that judged.'),
  })
  .meta({ id: 'Judgment' });

export const judgments = z.object({
  total: z.int().describe('In force, for all queries.'),
  queries: z.int().describe('Queries with at least one of them.'),
  judgments: z.array(judgment).describe('Those of the query asked for, else the newest.'),
});

export const judged = z.object({ total: z.int(), queries: z.int() });

export type Judgment = z.infer<typeof judgment>;
export type JudgmentsAnswer = z.infer<typeof judgments>;
export type Judged = z.infer<typeof judged>;
