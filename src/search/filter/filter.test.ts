import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UsageError } from '../../base/errors.js';
import { compileFilter, type DocumentFilter, documentFilterSchema } from './filter.js';
import { allOf, parseFilter } from './filter-text.js';

const metadata = {
  year: 2004,
  language: 'en',
  reviewed: true,
  nothing: null,
  tags: ['heart', 'lung'],
  author: { name: 'Ada', 'last.name': 'L' },
  'a.b': 1,
};

describe('what matches', () => {
  test.each<[DocumentFilter, boolean]>([
    [{}, true],
    [{ year: 2004 }, true],
    [{ year: '2004' }, false],
    [{ year: { $gte: 2000, $lt: 2004 } }, false],
    [{ year: { $gte: 2000, $lte: 2004 } }, true],
    [{ year: { $gt: '2000' } }, false],
    [{ language: { $gt: 'de' } }, true],
    [{ language: { $ne: 'en' } }, false],
    [{ absent: { $ne: 'en' } }, true],
    [{ tags: 'lung' }, true],
    [{ tags: { $in: ['liver', 'heart'] } }, true],
    [{ tags: { $nin: ['liver', 'heart'] } }, false],
    [{ nothing: null, absent: null }, true],
    [{ nothing: { $exists: true }, absent: { $exists: false } }, true],
    [{ 'author.name': 'Ada' }, true],
    [{ 'author.last.name': 'L' }, true],
    [{ 'a.b': 1 }, true],
    [{ constructor: { $exists: false } }, true],
    [{ $or: [{ year: 1 }, { language: 'en' }] }, true],
    [{ $and: [{ year: 1 }, { language: 'en' }] }, false],
    [{ $not: { year: 1 }, reviewed: true }, true],
  ])('%j: %s', (filter, expected) => {
    expect(compileFilter(filter)(metadata)).toBe(expected);
  });

  test('equalities in an $or are asked together and mean the same', () => {
    const value = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constant(null), fc.constantFrom('a', 'b'));
    const part = fc.oneof(
      fc.record({ a: value }),
      fc.record({ b: fc.record({ $eq: value }) }),
      fc.record({ a: fc.record({ $in: fc.array(value) }) }),
      fc.record({ a: fc.record({ $ne: value }) }),
      fc.record({ a: value, b: value }),
      fc.record({ 'a.b': value }),
    ) as fc.Arbitrary<DocumentFilter>;
    const record = fc.record({ a: fc.oneof(value, fc.array(value)), b: value }, { requiredKeys: [] });
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), record, (parts, document) => {
        const each = parts.map((one) => compileFilter(one)(document));
        expect(compileFilter({ $or: parts })(document)).toBe(each.includes(true));
      }),
    );
  });

  test('documents without metadata have no fields', () => {
    expect(compileFilter({ year: 2004 })(undefined)).toBe(false);
    expect(compileFilter({ year: { $exists: false } })(undefined)).toBe(true);
  });

  test('$not turns any answer round, $and and $or are what they are called', () => {
    const value = fc.integer({ min: 0, max: 3 });
    const leaf = fc.oneof(
      fc.record({ a: value }),
      fc.record({ b: fc.record({ $gte: value }) }),
      fc.record({ a: fc.record({ $in: fc.array(value) }) }),
    ) as fc.Arbitrary<DocumentFilter>;
    fc.assert(
      fc.property(leaf, leaf, fc.record({ a: value, b: value }), (one, other, record) => {
        const [x, y] = [compileFilter(one)(record), compileFilter(other)(record)];
        expect(compileFilter({ $not: one })(record)).toBe(!x);
        expect(compileFilter({ $and: [one, other] })(record)).toBe(x && y);
        expect(compileFilter({ $or: [one, other] })(record)).toBe(x || y);
      }),
    );
  });
});

describe('what is refused', () => {
  test.each<[unknown, string]>([
    [7, 'filter: expected an object such as {"year": 2004}, got a number (7)'],
    [{ year: { $gtee: 1 } }, 'filter.year.$gtee: expected one of $eq'],
    [{ year: { $gt: true } }, 'filter.year.$gt: expected a number or a text, got a boolean (true)'],
    [{ year: { $in: 3 } }, 'filter.year.$in: expected an array'],
    [{ year: [1, 2] }, 'filter.year: expected a value or an object of operators, got an array of 2'],
    [{ $xor: [] }, 'filter.$xor: expected one of $and, $or, $not, got "$xor"'],
    [{ $or: {} }, 'filter.$or: expected an array of filters, got an object'],
    [{ $and: [{ year: { $exists: 1 } }] }, 'filter.$and[0].year.$exists: expected true or false'],
  ])('%j', (filter, message) => {
    expect(() => compileFilter(filter)).toThrow(message);
    const parsed = documentFilterSchema.safeParse(filter);
    expect(parsed.success).toBe(false);
  });

  test('what goes too deep', () => {
    let filter: DocumentFilter = { year: 1 };
    for (let i = 0; i < 50; i++) filter = { $not: filter };
    expect(() => compileFilter(filter)).toThrow('at most 16 levels');
  });

  test.each<[string, DocumentFilter]>([
    ['conditions', { $or: Array.from({ length: 1001 }, (_, i) => ({ year: { $gt: i } })) }],
    ['conditions', Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`field${i}`, i]))],
    ['values', { year: { $in: Array.from({ length: 10_001 }, (_, i) => i) } }],
    ['values', { $or: Array.from({ length: 20_000 }, (_, i) => ({ year: i })) }],
    ['characters', { title: 'x'.repeat(8_000_000) }],
    ['characters', { ['x'.repeat(600_000)]: 1 }],
  ])('more %s than a filter may hold', (what, filter) => {
    expect(() => compileFilter(filter)).toThrow(new RegExp(`^filter: expected at most \\d+ .*${what}`));
  });

  test('says what was meant', () => {
    expect(() => compileFilter({ year: { $gtee: 1 } })).toThrow(
      expect.objectContaining({ hint: 'did you mean "$gte"?' }),
    );
  });
});

describe('as typed', () => {
  test.each<[string, boolean]>([
    ['year>=2004', true],
    ['year < 2004', false],
    ['year=2004', true],
    ['language=de,en', true],
    ['language!=de,en', false],
    ['reviewed=true', true],
    ['author.name=Ada', true],
    ['{"tags": {"$in": ["lung"]}}', true],
  ])('%s: %s', (text, expected) => {
    expect(compileFilter(parseFilter(text))(metadata)).toBe(expected);
  });

  test('a typed number matches a text, too', () => {
    expect(compileFilter(parseFilter('year=2004'))({ year: '2004' })).toBe(true);
    expect(compileFilter(parseFilter('year>=2004'))({ year: '2005' })).toBe(true);
    expect(compileFilter(parseFilter('date<2004'))({ date: '2005-01-31' })).toBe(false);
  });

  test.each<[string, string, string]>([
    ['year', 'expected a condition such as year>=2000 or lang=en, got "year"', 'repeat --filter'],
    ['{"year": }', 'filter: not valid JSON', 'year>=2000'],
    ['{"year": {"$gtee": 1}}', 'filter.year.$gtee: expected one of $eq', 'did you mean "$gte"?'],
    ['year>', 'filter: expected a value after ">", got "year>"', 'for example year>2000'],
    ['lang= ', 'filter: expected a value after "=", got "lang= "', '{"lang": ""}'],
    ['lang!=de,', 'filter: expected a value after "!=", got "lang!=de,"', 'lang!=en,de'],
  ])('%s is a mistake of usage', (text, message, hint) => {
    const error = thrownBy(() => parseFilter(text));
    expect(error).toBeInstanceOf(UsageError);
    expect(error.message).toContain(message);
    expect(error.hint).toContain(hint);
  });

  test('several are all wanted', () => {
    expect(allOf([])).toBeUndefined();
    expect(compileFilter(allOf([{ year: 2004 }, { language: 'de' }]))(metadata)).toBe(false);
  });
});

function thrownBy(action: () => unknown): UsageError {
  try {
    action();
  } catch (error) {
    return error as UsageError;
  }
  throw new Error('expected an error');
}
