import fc from 'fast-check';
import { expect, test } from 'vitest';
import { broadcast, formatShape, positiveAxis, productOf, sameShape } from './shape.js';

const dims = fc.array(fc.constantFrom<number | string>(1, 2, 3, 'batch'), { maxLength: 4 });

test('broadcasting is symmetric, keeps a shape with itself, and lets 1 and missing axes give way', () => {
  fc.assert(
    fc.property(dims, (shape) => {
      expect(broadcast(shape, shape)).toEqual(shape);
      expect(broadcast(shape, [])).toEqual(shape);
      expect(
        broadcast(
          shape,
          shape.map(() => 1),
        ),
      ).toEqual(shape);
    }),
  );
  expect(broadcast(['batch', 1, 3], [2, 1])).toEqual(['batch', 2, 3]);
  expect(broadcast([2, 1], ['batch', 1, 3])).toEqual(['batch', 2, 3]);
});

test('shapes that do not fit are named', () => {
  expect(() => broadcast([2, 3], [2])).toThrow('Shapes do not broadcast: [2, 3] and [2]');
  expect(() => broadcast(['batch'], [2])).toThrow('[batch] and [2]');
});

test('products, axes, equality', () => {
  expect(productOf([2, 3])).toBe(6);
  expect(productOf([])).toBe(1);
  expect(productOf(['batch', 2, 'length', 3])).toBe('batch*length*6');
  expect(productOf(['batch', 1])).toBe('batch');
  expect([positiveAxis(-1, 3), positiveAxis(0, 3)]).toEqual([2, 0]);
  expect(() => positiveAxis(3, 3)).toThrow('Axis 3 does not exist in a tensor of rank 3');
  expect(() => positiveAxis(-4, 3)).toThrow('Axis -4');
  expect(sameShape(['a', 2], ['a', 2])).toBe(true);
  expect(sameShape(['a', 2], ['a'])).toBe(false);
  expect(formatShape(['a', 2])).toBe('[a, 2]');
});
