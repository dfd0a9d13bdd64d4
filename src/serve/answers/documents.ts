import { z } from 'zod';
import { highlights, place, version } from './hits.js';

export const documentAnswer = z.object({
  version,
  id: z.string(),
  title: z.string().optional(),
  text: z.string(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  highlights: highlights.optional(),
  titleHighlights: highlights.optional(),
  place: place.optional(),
});

export const written = z.object({ version, added: z.int(), replaced: z.int() });

export const filesWritten = z.object({
  ...written.shape,
  passages: z.int().describe('How many the files were cut into.'),
  first: z.string().optional().describe('The id of the first one.'),
});

export type DocumentAnswer = z.infer<typeof documentAnswer>;
export type Written = z.infer<typeof written>;
export type FilesWritten = z.infer<typeof filesWritten>;
