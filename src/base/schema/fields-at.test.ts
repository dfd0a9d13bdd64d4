import { expect, test } from 'vitest';
import { z } from 'zod';
import { fieldsAt } from './fields-at.js';

const entry = z.strictObject({ id: z.string(), text: z.string() });
const schema = z
  .strictObject({
    query: z.string().optional(),
    entries: z.preprocess((value) => value, z.array(entry).min(1)),
    either: z.union([z.string(), z.strictObject({ one: z.int() }), z.strictObject({ two: z.int() })]),
    byName: z.record(z.string(), entry).default({}),
  })
  .refine(() => true);

test.each<[PropertyKey[], string[]]>([
  [[], ['query', 'entries', 'either', 'byName']],
  [
    ['entries', 3],
    ['id', 'text'],
  ],
  [['either'], ['one', 'two']],
  [
    ['byName', 'any'],
    ['id', 'text'],
  ],
  [['query'], []],
  [['nothing', 'here'], []],
])('at %j', (path, fields) => {
  expect(fieldsAt(schema, path)).toEqual(fields);
});
