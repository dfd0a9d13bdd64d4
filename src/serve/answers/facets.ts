import { z } from 'zod';
import { version } from './hits.js';

const facet = z.object({
  field: z.string().describe('`author.name` is the field name of an object author.'),
  documents: z.int().describe('Documents that have it.'),
  values: z
    .array(
      z.object({
        value: z.union([z.string(), z.number(), z.boolean(), z.null()]),
        count: z.int().describe('Documents with this value, or with an array that has it.'),
      }),
    )
    .describe('The most frequent first.'),
  more: z.boolean().describe('Whether there are other values.'),
  range: z.object({ min: z.number(), max: z.number() }).optional().describe('Of numbers.'),
});

export const facets = z
  .object({
    version,
    documents: z.int().describe('Documents that were counted: those that match the filter.'),
    fields: z.array(facet),
    more: z.boolean().describe('Whether there are other fields.'),
  })
  .meta({ id: 'Facets' });

export type Facet = z.infer<typeof facet>;
export type FacetsAnswer = z.infer<typeof facets>;
