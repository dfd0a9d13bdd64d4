import { z } from 'zod';
import { fileCheckSchema } from '../../base/checked-file.js';
import { LANGUAGES } from '../../text/analyzers/index.js';
import { FORMAT_NAME } from './format-name.js';

/* What describes an index in its folder. */

/** Raised whenever an older reader would misread a newer index. */
export const FORMAT_VERSION = 1;

export const META_FILE = 'meta.json';

const count = z.int().min(0);

export const metaSchema = z.object({
  format: z.literal(FORMAT_NAME),
  version: z.literal(FORMAT_VERSION),
  language: z.enum(LANGUAGES),
  documents: count,
  /** Documents with at least one term: BM25's N. */
  nonEmptyDocuments: count,
  terms: count,
  postings: count,
  blocks: count,
  /** Terms of all documents together; divided by N the average length. */
  totalLength: count,
  /** What made the frequencies of terms, where they are not counts, and what a word that counts fully has. */
  weighed: z.object({ model: z.string(), scale: z.number() }).optional(),
  /** BM25's parameters that were tuned for this index. */
  parameters: z.object({ k1: z.number(), b: z.number() }).optional(),
  /** SHA-256 of the documents, to be compared with a collection's; older indexes do not have it. */
  content: z.string().optional(),
  files: z.record(z.string(), fileCheckSchema),
});

export type Bm25Meta = z.infer<typeof metaSchema>;
