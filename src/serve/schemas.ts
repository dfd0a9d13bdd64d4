import { z } from 'zod';
import { documentFilterSchema } from '../search/filter/filter.js';
import { expectedMode, searchModes } from '../search/retrievers/modes.js';

/** Metadata deeper than this is refused: everything that reads it would have to be as patient. */
const METADATA_DEPTH = 16;

/** Characters of a filter in an address. */
const FILTER_LENGTH = 8000;

export const metadata = z
  .record(z.string(), z.unknown())
  .refine((value) => !isDeeper(value, METADATA_DEPTH), `expected at most ${METADATA_DEPTH} levels`);

/** A filter in an address: JSON. */
export const filterParameter = z
  .string()
  .max(FILTER_LENGTH)
  .transform((typed, context) => {
    try {
      return JSON.parse(typed);
    } catch {
      context.addIssue({ code: 'custom', message: 'expected a filter as JSON, e.g. {"year": 2004}' });
      return z.NEVER;
    }
  })
  .pipe(documentFilterSchema)
  .describe('As of POST /v1/search, as JSON.');

export const searchMode = modeAmong(searchModes.names);

/** The name of one of some modes; a slip of the pen is told what was meant. */
export function modeAmong(names: string[]): z.ZodType<string> {
  return z.enum(names, { error: ({ input }) => expectedMode(input, names) });
}

/** Ids appear in paths and in files of lines: no control characters, no half characters. */
export const documentId = z
  .string()
  .min(1)
  .max(512)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  .refine((id) => !/[\u0000-\u001f\u007f]/.test(id) && id.isWellFormed(), 'expected no control characters');

/**
 * An id that a document may be given. As `.` or `..` in a path it would be lost: clients take these for folders, however
 * they are encoded.
 */
export const newDocumentId = documentId.refine(
  (id) => id !== '.' && id !== '..',
  'expected another id than "." and "..", which no client can put in a path',
);

/** Some things of a kind. How many is checked first: a million wrong ones would take seconds to be refused one by one. */
export function listOf<T>(
  element: z.ZodType<T>,
  { max, what }: { max: number; what: string },
): z.ZodType<T[]> {
  const count = (value: unknown, context: z.RefinementCtx): unknown => {
    if (!Array.isArray(value) || value.length <= max) return value;
    context.addIssue({ code: 'custom', message: `expected at most ${max} ${what}` });
    return z.NEVER;
  };
  return z.preprocess(count, z.array(element).min(1).max(max)) as unknown as z.ZodType<T[]>;
}

/** A text that is not empty. */
export function text(maxLength: number): z.ZodString {
  return z.string().min(1).max(maxLength);
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((part) => isDeeper(part, depth - 1));
}
