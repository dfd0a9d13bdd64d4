import fc from 'fast-check';
import { expect, test } from 'vitest';
import { differentiateLoss, emitOnnx, Graph, Random, Session } from '../engine/index.js';
import { embeddingMse } from './index.js';

const SIZE = 3;

/** The loss again, plainly and in float64. */
function reference(texts: string, { q, d, tq, td, known }: Record<string, number[]>): number {
  const squares = (rows: number[], others: number[]): number[] =>
    Array.from({ length: rows.length / SIZE }, (_, row) =>
      [0, 1, 2].reduce((sum, i) => sum + (rows[row * SIZE + i] - others[row * SIZE + i]) ** 2, 0),
    );
  const counted = [
    ...(texts === 'documents' ? [] : squares(q, tq)),
    ...(texts === 'queries' ? [] : squares(d, td).filter((_, i) => known[i] === 1)),
  ];
  return counted.reduce((sum, x) => sum + x, 0) / counted.length;
}

test.each(['both', 'queries', 'documents'] as const)(
  'squared distances to the vectors that a teacher has, and their gradients: %s',
  async (texts) => {
    const graph = new Graph();
    const input = (name: string, rows: string) => graph.input(name, [rows, SIZE]);
    const [q, tq] = [input('q', 'queries'), input('tq', 'queries')];
    const [d, td] = [input('d', 'documents'), input('td', 'documents')];
    const known = graph.input('known', ['documents']);
    const vectors = { queries: q, documents: d, teacher: { queries: tq, documents: td, known } };
    const loss = embeddingMse({ texts }).build({ scores: q, positive: q, negative: q, vectors });
    const { dense } = differentiateLoss(loss, [q, d]);
    const learned = { q, d };
    const outputs = Object.fromEntries(
      Object.entries(learned).flatMap(([name, value]) =>
        dense.has(value) ? [[`d${name}`, dense.get(value)!]] : [],
      ),
    );
    const session = await Session.create(emitOnnx(graph, { outputs: { loss, ...outputs } }), { threads: 1 });
    await fc.assert(
      fc.asyncProperty(fc.integer(), fc.integer({ min: 1, max: 4 }), async (seed, count) => {
        const random = Random.from(seed, 'vectors');
        const rows = (n: number): number[] =>
          Array.from({ length: n * SIZE }, () => Math.fround(random.normal()));
        const given: Record<string, number[]> = {
          q: rows(count),
          tq: rows(count),
          d: rows(count + 1),
          td: rows(count + 1),
          // One document at least is known.
          known: [1, ...Array.from({ length: count }, () => random.integer(2))],
        };
        const feeds = Object.entries(given)
          .filter(([name]) => session.inputNames.includes(name))
          .map(([name, data]) => [
            name,
            {
              shape: name === 'known' ? [data.length] : [data.length / SIZE, SIZE],
              data: Float32Array.from(data),
            },
          ]);
        const result = await session.run(Object.fromEntries(feeds));
        expect(Number(result.loss.data[0])).toBeCloseTo(reference(texts, given), 4);
        for (const name of ['q', 'd'].filter((part) => `d${part}` in outputs)) {
          given[name].forEach((value, i) => {
            const at = (x: number): number => reference(texts, { ...given, [name]: given[name].with(i, x) });
            const numeric = (at(value + 1e-4) - at(value - 1e-4)) / 2e-4;
            expect(Number(result[`d${name}`].data[i])).toBeCloseTo(numeric, 4);
          });
        }
      }),
      { numRuns: 20, seed: 3 },
    );
    expect(Object.keys(outputs)).not.toEqual([]);
    await session.release();
  },
);
