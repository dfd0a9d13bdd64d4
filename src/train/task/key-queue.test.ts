import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KeyQueue } from './key-queue.js';

const keys = fc.array(
  fc.record({
    example: fc.nat(9),
    document: fc.integer({ min: -1, max: 9 }),
    value: fc.float({ noNaN: true }),
  }),
  { maxLength: 30 },
);

test('has the newest keys, and finds those that answer an example', () => {
  fc.assert(
    fc.property(
      keys,
      fc.integer({ min: 1, max: 8 }),
      fc.nat(9),
      fc.uniqueArray(fc.nat(9)),
      (pushed, places, example, relevant) => {
        const queue = new KeyQueue(places, 2);
        for (const { value, ...key } of pushed)
          queue.push({ ...key, vector: Float32Array.of(value, -value) });
        const kept = pushed.slice(-places);
        expect(queue.length).toBe(kept.length);
        const values = Array.from({ length: queue.length }, (_, place) => queue.vectors[2 * place]);
        expect(values.toSorted()).toEqual(kept.map(({ value }) => value).toSorted());
        const answers = queue.answers(example, new Set(relevant)).map((place) => values[place]);
        const expected = kept.filter((key) => key.example === example || relevant.includes(key.document));
        expect(answers.toSorted()).toEqual(expected.map(({ value }) => value).toSorted());
      },
    ),
  );
});

test('goes on from its saved numbers', () => {
  const [first, second] = [new KeyQueue(3, 1), new KeyQueue(3, 1)];
  const push = (queue: KeyQueue, n: number): void =>
    queue.push({ vector: Float32Array.of(n), example: n, document: n });
  for (const n of [1, 2, 3, 4]) push(first, n);
  second.store.copyFrom(first.store);
  push(first, 5);
  push(second, 5);
  expect(second.vectors).toEqual(first.vectors);
  expect([...second.vectors]).toEqual([4, 5, 3]);
});
