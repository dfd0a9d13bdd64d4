import fc from 'fast-check';
import { expect, test } from 'vitest';
import { holds } from '../../index/engines/filter-tree.fixture.js';
import { compileFilter, type DocumentFilter } from './filter.js';
import { documentFields, filterTree } from './filter-tree.js';

const scalar = fc.oneof(
  fc.constantFrom('', 'a', 'b', '2004'),
  fc.constantFrom(0, 1, 2.5),
  fc.boolean(),
  fc.constant(null),
);
const bound = fc.oneof(fc.constantFrom('', 'a', 'b'), fc.constantFrom(0, 1, 2.5));
const name = fc.constantFrom('a', 'b', 'a.b', 'a.b.c');
const leaf = fc
  .tuple(
    name,
    fc.oneof(
      scalar,
      fc.record({ $eq: scalar }),
      fc.record({ $ne: scalar }),
      fc.record({ $in: fc.array(scalar, { maxLength: 3 }) }),
      fc.record({ $nin: fc.array(scalar, { maxLength: 3 }) }),
      fc.record({ $exists: fc.boolean() }),
      fc.record({ $gt: bound, $lte: bound }),
      fc.record({ $gte: bound }),
      fc.record({ $lt: bound }),
      fc.constant({}),
    ),
  )
  .map(([field, condition]) => ({ [field]: condition }) as DocumentFilter);
const { filter: filters } = fc.letrec<{ filter: DocumentFilter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.record({ $and: fc.array(tie('filter'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ $or: fc.array(tie('filter'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ $not: tie('filter') }),
  ) as fc.Arbitrary<DocumentFilter>,
}));
const value = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }));
const metadata = fc.record(
  {
    a: fc.oneof(
      value,
      fc.record({ b: fc.oneof(value, fc.record({ c: value })), 'b.c': value }, { requiredKeys: [] }),
    ),
    b: value,
    'a.b': value,
  },
  { requiredKeys: [] },
);

test('a tree over fields means what the filter means over metadata', () => {
  fc.assert(
    fc.property(filters, metadata, (filter, document) => {
      expect(holds(filterTree(filter), documentFields(document))).toBe(compileFilter(filter)(document));
    }),
    { numRuns: 2000 },
  );
});

test('what no engine would understand is refused as anywhere', () => {
  expect(() => filterTree({ year: { $gtee: 1 } } as unknown as DocumentFilter)).toThrow('filter.year.$gtee');
});
