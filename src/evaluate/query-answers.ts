import { describe, NearmissError } from '../base/errors.js';
import type { Query } from '../data/dataset.js';

/**
 * The answer strings of a query, from its metadata.
 *
 * @param hint what to do where it has none
 */
export function queryAnswers({ id, metadata }: Pick<Query, 'id' | 'metadata'>, hint: string): string[] {
  const answers = metadata?.answers;
  if (Array.isArray(answers) && answers.every((answer) => typeof answer === 'string')) return answers;
  throw new NearmissError(
    `query ${JSON.stringify(id)}: field "metadata.answers": expected an array of texts, got ${describe(answers)}`,
    { hint },
  );
}
