import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonText, printable, printableLines } from './printable.js';

const anyText = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\x1b', '\x07', '\r', '\n', '\t', '\x7f', '\u009b', '\u202e', '\u2066'),
    fc.string(),
  ),
});

test('a line has no control characters and keeps its places', () => {
  expect(printable('a\x1b[31mb\u009b2Jc\r\nd\u202ee')).toBe('a [31mb 2Jc  d e');
  fc.assert(
    fc.property(anyText, (text) => {
      const shown = printable(text);
      expect(shown).toHaveLength(text.length);
      expect(shown).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
    }),
  );
});

test('lines and columns stay', () => {
  expect(printableLines('a\tb\r\nc\rd\x1b]0;x\x07\n')).toBe('a\tb\nc d ]0;x \n');
  fc.assert(
    fc.property(anyText, (text) => {
      expect(printableLines(text)).not.toMatch(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/u);
    }),
  );
});

test('JSON says the same without control characters', () => {
  expect(jsonText({ a: 'x\u009by\x7f\u202e' })).toBe('{"a":"x\\u009by\\u007f\\u202e"}');
  fc.assert(
    fc.property(anyText, anyText, (key, text) => {
      const value = { [key]: [text] };
      for (const indent of [undefined, 2]) {
        const json = jsonText(value, indent);
        expect(json).not.toMatch(/[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/u);
        expect(JSON.parse(json)).toEqual(value);
      }
    }),
  );
});
