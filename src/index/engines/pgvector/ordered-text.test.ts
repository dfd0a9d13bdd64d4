import fc from 'fast-check';
import { expect, test } from 'vitest';
import { orderedText } from './ordered-text.js';

const text = fc
  .array(
    fc.oneof(fc.constantFrom(0, 1, 2, 0x61, 0xd7ff, 0xd800, 0xdbff, 0xdfff, 0xe000, 0xffff), fc.nat(0xffff)),
    {
      maxLength: 6,
    },
  )
  .map((units) => String.fromCharCode(...units));

test('the order of code points is the order of the UTF-16 units; nothing PostgreSQL could not keep', () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      const [x, y] = [orderedText(a), orderedText(b)].map((kept) => Buffer.from(kept, 'utf8'));
      expect(Math.sign(Buffer.compare(x, y))).toBe(a < b ? -1 : a > b ? 1 : 0);
      expect(x.includes(0)).toBe(false);
      expect(x.toString('utf8')).toBe(orderedText(a));
    }),
  );
});
