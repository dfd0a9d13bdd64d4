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
  first: z.string().describe('The id of the first one.'),
  problems: z.array(z.string()).describe('Which files, or what of them, could not be read, and why.'),
});

export const fileRead = z.object({
  documents: z.array(
    z.object({
      id: z.string(),
      title: z.string().optional(),
      text: z.string(),
      metadata: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
  problems: z.array(z.string()).describe('What of the file could not be read, and why.'),
  gone: z.array(z.string()).describe('Ids of passages that the file had before and has no more.'),
});

export type DocumentAnswer = z.infer<typeof documentAnswer>;
export type Written = z.infer<typeof written>;
export type FilesWritten = z.infer<typeof filesWritten>;
export type FileRead = z.infer<typeof fileRead>;
