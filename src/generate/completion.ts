import { z } from 'zod';
import { shorten } from '../base/errors.js';
import { TryAgain } from './request-failures.js';

/** What a service answers, as far as it matters here. */
export interface Completion {
  content: string;
  /** Whether it ended because it had as many tokens as it was allowed. */
  cut: boolean;
  /** Tokens, where the service counts them. */
  read?: number;
  written?: number;
}

const answerSchema = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        // Nothing where a model refuses, or only thought.
        message: z.looseObject({ content: z.string().nullish() }),
        finish_reason: z.string().nullish(),
      }),
    )
    .min(1),
  usage: z
    .looseObject({ prompt_tokens: z.number().nullish(), completion_tokens: z.number().nullish() })
    .nullish(),
});

/** Reads the body of a chat completion. */
export function readCompletion(body: string): Completion {
  let parsed: z.infer<typeof answerSchema>;
  try {
    parsed = answerSchema.parse(JSON.parse(body));
  } catch {
    throw new TryAgain(`expected a chat completion, got ${JSON.stringify(shorten(body))}`);
  }
  const { message, finish_reason: reason } = parsed.choices[0];
  return {
    content: message.content ?? '',
    cut: reason === 'length',
    read: parsed.usage?.prompt_tokens ?? undefined,
    written: parsed.usage?.completion_tokens ?? undefined,
  };
}
