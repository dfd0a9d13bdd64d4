import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findLostNumber } from './json-numbers.js';

test.each([
  ['{"a": 1e999}', ['a'], '1e999'],
  ['{"a": -1E+0400}', ['a'], '-1E+0400'],
  ['{"a": 1e-999}', ['a'], '1e-999'],
  ['{"id": 9007199254740993}', ['id'], '9007199254740993'],
  ['{"id":-9007199254740993}', ['id'], '-9007199254740993'],
  ['{"id":18446744073709551616}', ['id'], '18446744073709551616'],
  ['[1, [2, {"x": {"y\\"]": [true, 12345678901234567890]}}]]', [1, 1, 'x', 'y"]', 1], '12345678901234567890'],
  ['{"first": [1, 2], "then" : 1e999}', ['then'], '1e999'],
  [`{"long": ${'9'.repeat(400)}.5}`, ['long'], `${'9'.repeat(400)}.5`],
  ['1e999', [], '1e999'],
])('%s', (text, path, literal) => {
  expect(findLostNumber(text)).toEqual({ path, literal });
});

test.each([
  '{"safe": 9007199254740991, "zero": -0, "power": 9007199254740992, "round": 100000000000000000000}',
  '{"sentinel": 3.4028234663852886e+38, "other": 1.7976931348623157e308, "tiny": 5e-324}',
  '{"zero": 0e999, "none": 0.0e-999}',
  '{"fraction": 3.14159265358979323846264338}',
  '{"text": "9007199254740993, 1e999", "key 1e999": "\\\\\\" 1e999"}',
])('%s keeps its numbers', (text) => {
  expect(findLostNumber(text)).toBeUndefined();
});

test('numbers that JavaScript writes are kept; a lost one among them is found, wherever it is', () => {
  const value = fc.jsonValue({ maxDepth: 4 });
  fc.assert(
    fc.property(value, value, fc.string(), (before, after, key) => {
      expect(findLostNumber(JSON.stringify([before, { [key]: after }]))).toBeUndefined();
      const marked = JSON.stringify([before, { [key]: [after, 'HERE'] }]);
      const at = marked.lastIndexOf('"HERE"');
      const lost = `${marked.slice(0, at)}1e999${marked.slice(at + '"HERE"'.length)}`;
      expect(findLostNumber(lost)).toEqual({ path: [1, key, 1], literal: '1e999' });
    }),
  );
});
