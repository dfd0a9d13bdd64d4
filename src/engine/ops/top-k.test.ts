import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Graph } from '../graph.js';
import { emitOnnx } from '../onnx/emit.js';
import { Random } from '../random.js';
import { Session } from '../session.js';
import { topK } from './top-k.js';

test('equals sorting by value, then place, for any size and count', async () => {
  const graph = new Graph();
  const x = graph.input('x', ['rows', 'columns']);
  const { values, indices } = topK(x, graph.input('count', [1], 'int64'), 'count');
  const session = await Session.create(emitOnnx(graph, { outputs: { values, indices } }));
  const size = fc.integer({ min: 1, max: 60 });
  await fc.assert(
    fc.asyncProperty(size, size, fc.integer(), async (rows, columns, seed) => {
      const random = Random.from(seed, 'top-k');
      const count = 1 + random.integer(columns);
      // Few different values, so that many are equal.
      const data = Float32Array.from({ length: rows * columns }, () => random.integer(8));
      const result = await session.run({
        x: { shape: [rows, columns], data },
        count: { shape: [1], data: BigInt64Array.of(BigInt(count)) },
      });
      expect(result.indices.shape).toEqual([rows, count]);
      for (let row = 0; row < rows; row++) {
        const line = data.subarray(row * columns, (row + 1) * columns);
        const order = [...line.keys()].sort((a, b) => line[b] - line[a] || a - b).slice(0, count);
        expect([...result.indices.data.slice(row * count, (row + 1) * count)]).toEqual(order);
        expect([...result.values.data.slice(row * count, (row + 1) * count)]).toEqual(
          order.map((i) => line[i]),
        );
      }
    }),
    { seed: 1 },
  );
  await session.release();
});
