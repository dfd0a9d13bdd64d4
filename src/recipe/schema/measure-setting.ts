import type { z } from 'zod';
import { NearmissError } from '../../base/errors.js';
import { text } from '../../base/settings.js';
import { parseMeasure } from '../../evaluate/parse-measure.js';

/** The name of a measure that the evaluation knows. */
export function measure(): z.ZodString {
  return text('a measure such as nDCG@10').superRefine((name, context) => {
    try {
      parseMeasure(name);
    } catch (error) {
      if (!(error instanceof NearmissError)) throw error;
      context.addIssue({ code: 'custom', message: error.message, params: { hint: error.hint } });
    }
  });
}
