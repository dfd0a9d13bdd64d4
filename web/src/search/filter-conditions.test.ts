import { describe, expect, test } from 'vitest';
import {
  addCondition,
  type Condition,
  describeCondition,
  fieldsOf,
  parseValue,
  toConditions,
  toFilter,
} from './filter-conditions.js';

const conditions: Condition[] = [
  { field: 'topic', operator: '$eq', value: 'blood' },
  { field: 'year', operator: '$gte', value: 2000 },
  { field: 'year', operator: '$lte', value: 2010 },
  { field: 'url', operator: '$exists', value: true },
];

test('conditions become a filter and come back', () => {
  const filter = toFilter(conditions);
  expect(JSON.parse(filter)).toEqual({
    topic: { $eq: 'blood' },
    year: { $gte: 2000, $lte: 2010 },
    url: { $exists: true },
  });
  expect(toConditions(filter)).toEqual(conditions);
  expect(toFilter([])).toBe('');
  expect(toConditions('')).toEqual([]);
});

test('a value alone means equality', () => {
  expect(toConditions('{"topic":"blood"}')).toEqual([conditions[0]]);
});

test.each(['{"$or":[{"a":1}]}', '{"a":{"$in":[1]}}', '{"a":[1]}', '[1]', 'nonsense'])(
  '%s says more than a list of conditions',
  (filter) => expect(toConditions(filter)).toBeUndefined(),
);

test('typed values take the type that the field has', () => {
  const facet = (field: string, ...values: (string | number)[]) => ({
    ...{ field, documents: 2, more: false },
    values: values.map((value) => ({ value, count: 1 })),
  });
  const fields = fieldsOf({ fields: [facet('year', 2004, 2005), facet('code', '17')] });
  expect(Object.fromEntries(fields)).toEqual({ year: [2004, 2005], code: ['17'] });
  expect(parseValue('2010', fields.get('year'))).toBe(2010);
  expect(parseValue('18', fields.get('code'))).toBe('18');
  expect(parseValue('true')).toBe(true);
  expect(parseValue('"2004"')).toBe('2004');
  expect(parseValue('New York')).toBe('New York');
});

test('conditions read as words', () => {
  expect(conditions.map(describeCondition)).toEqual([
    'topic is blood',
    'year at least 2000',
    'year at most 2010',
    'url is present',
  ]);
});

describe('one condition more', () => {
  const english = { field: 'lang', operator: '$eq', value: 'en' } as const;

  test('joins a list of conditions', () => {
    expect(JSON.parse(addCondition('{"year":{"$gte":2000}}', english))).toEqual({
      year: { $gte: 2000 },
      lang: { $eq: 'en' },
    });
    expect(JSON.parse(addCondition('', english))).toEqual({ lang: { $eq: 'en' } });
  });

  test('leaves a filter in force that says more than a list can', () => {
    const either = { $or: [{ year: 2004 }, { year: 2005 }] };
    expect(JSON.parse(addCondition(JSON.stringify(either), english))).toEqual({
      $and: [either, { lang: { $eq: 'en' } }],
    });
  });

  test('takes the place of what is no filter', () => {
    expect(JSON.parse(addCondition('{broken', english))).toEqual({ lang: { $eq: 'en' } });
  });
});
