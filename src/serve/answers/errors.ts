import { z } from 'zod';

const errorAnswer = z
  .object({
    error: z.object({
      code: z.string(),
      message: z.string(),
      hint: z.string().optional(),
      requestId: z.string().optional(),
    }),
  })
  .meta({ id: 'Error' });

/** Answers that any route may give besides its own. */
export const errors = { '4xx': errorAnswer, '5xx': errorAnswer };

export type ErrorAnswer = z.infer<typeof errorAnswer>;
