import fc from 'fast-check';
import { LRUCache } from 'lru-cache';
import { expect, test } from 'vitest';
import { VectorCache } from './vector-cache.js';

const DIMENSION = 3;

function vectorOf(text: string): Float32Array {
  return Float32Array.of(text.charCodeAt(0), text.length, -1);
}

test('keeps the texts used last, each with its own vector', () => {
  const text = fc.constantFrom(...'abcdefghij');
  const use = fc.record({ text, write: fc.boolean() });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6 }), fc.array(use, { maxLength: 80 }), (room, uses) => {
      const cache = new VectorCache({ dimension: DIMENSION, bytes: room * DIMENSION * 4 });
      const reference = new LRUCache<string, Float32Array>({ max: room });
      for (const { text, write } of uses) {
        if (write && !reference.has(text)) {
          cache.set(text, vectorOf(text));
          reference.set(text, vectorOf(text));
        } else if (!write) {
          const known = reference.get(text);
          expect(cache.get(text)).toEqual(known);
        }
        expect(cache.size).toBe(reference.size);
      }
    }),
  );
});

test('more than one piece of memory', () => {
  const cache = new VectorCache({ dimension: DIMENSION, bytes: 5000 * DIMENSION * 4 });
  for (let i = 0; i < 6000; i++) cache.set(String(i), Float32Array.of(i, 1, 2));
  expect(cache.size).toBe(5000);
  expect(cache.get('999')).toBeUndefined();
  for (const i of [1000, 3333, 5999]) expect(cache.get(String(i))).toEqual(Float32Array.of(i, 1, 2));
});

test('a text that is longer than most queries is not kept', () => {
  const cache = new VectorCache({ dimension: DIMENSION, bytes: 1000 });
  cache.set('a'.repeat(513), vectorOf('a'));
  cache.set('b'.repeat(512), vectorOf('b'));
  expect(cache.size).toBe(1);
});
