import { describe, expect, test } from 'vitest';
import { differentiateLoss, emitOnnx, Graph, mul, Random, reduceSum, Session } from '../../engine/index.js';
import { dot } from './dot.js';
import type { Scorer } from './scorer.js';

/** A scorer, made for the suite. */
export interface ScorerSubject {
  name: string;
  scorer: Scorer;
  /** Most rows that a text of each side may have. */
  most: { queries: number; documents: number };
  /** Rows that it can compare. Default: any numbers. */
  rows?: RowsSubject;
}

interface RowsSubject {
  size: number;
  draw(random: Random): number[];
  /** Which of their numbers a gradient is asked of. */
  learns(column: number): boolean;
}

const ANY_ROWS: RowsSubject = {
  size: 5,
  draw: (random) => Array.from({ length: 5 }, () => random.normal()),
  learns: () => true,
};
const SCALE = 3;

/** Random rows of texts, each with one row or more. */
interface Side {
  rows: Float32Array;
  offsets: number[];
}

function randomSide(random: Random, texts: number, most: number, draw: RowsSubject['draw']): Side {
  const offsets = [0];
  // The first text has most rows, the second one: both ends are always there.
  for (let text = 0; text < texts; text++) {
    const rows = text === 0 ? most : text === 1 ? 1 : 1 + random.integer(most);
    offsets.push(offsets[text] + rows);
  }
  return {
    rows: Float32Array.from(Array.from({ length: offsets[texts] }, () => draw(random)).flat()),
    offsets,
  };
}

/** What every scorer must do; one call for each. */
export function scorerConformance({ name, scorer, most, rows: kind = ANY_ROWS }: ScorerSubject): void {
  const { size } = kind;
  const textOf = ({ rows, offsets }: Side, text: number): Float32Array =>
    rows.subarray(offsets[text] * size, offsets[text + 1] * size);

  /** Every query with every document, one pair after the other. */
  const bruteForce = (queries: Side, documents: Side): number[] =>
    queries.offsets
      .slice(1)
      .flatMap((_, query) =>
        documents.offsets
          .slice(1)
          .map(
            (__, document) => SCALE * scorer.score(textOf(queries, query), textOf(documents, document), size),
          ),
      );

  async function sessionOf(): Promise<Session> {
    const graph = new Graph();
    const side = (texts: string, mostRows: number) => ({
      value: graph.input(texts, [mostRows === 1 ? texts : `rows of ${texts}`, size]),
      texts,
      mostRows,
    });
    const [queries, documents] = [side('queries', most.queries), side('documents', most.documents)];
    const scores = scorer.build(graph, queries, documents, SCALE);
    const weights = graph.input('weights', ['queries', 'documents']);
    const gradients = differentiateLoss(reduceSum(mul(scores, weights)), [
      queries.value,
      documents.value,
    ]).dense;
    const outputs = {
      scores,
      ofQueries: gradients.get(queries.value)!,
      ofDocuments: gradients.get(documents.value)!,
    };
    return Session.create(emitOnnx(graph, { outputs }), { threads: 1 });
  }

  const feedsOf = (queries: Side, documents: Side, weights: Float32Array) => {
    const [rows, columns] = [queries, documents].map(({ offsets }) => offsets.length - 1);
    return {
      queries: { shape: [queries.offsets[rows], size], data: queries.rows },
      documents: { shape: [documents.offsets[columns], size], data: documents.rows },
      weights: { shape: [rows, columns], data: weights },
      ...scorer.feeds({ queries: queries.offsets, documents: documents.offsets }, most),
    };
  };

  describe(`scorer ${name}`, () => {
    test('the graph scores as brute force does, and its gradients are those of finite differences', async () => {
      const session = await sessionOf();
      for (const seed of [1, 2, 3]) {
        const random = Random.from(seed, 'scorer');
        const queries = randomSide(random, 3, most.queries, kind.draw);
        const documents = randomSide(random, 4 + seed, most.documents, kind.draw);
        const expected = bruteForce(queries, documents);
        const weights = Float32Array.from(expected, () => random.normal());
        const found = await session.run(feedsOf(queries, documents, weights));
        expected.forEach((score, pair) => {
          expect(Math.abs(Number(found.scores.data[pair]) - score)).toBeLessThan(
            1e-4 * Math.max(1, Math.abs(score)),
          );
        });
        const weighted = (): number =>
          bruteForce(queries, documents).reduce((sum, score, pair) => sum + score * weights[pair], 0);
        for (const [side, gradient] of [
          [queries, found.ofQueries],
          [documents, found.ofDocuments],
        ] as const) {
          side.rows.forEach((value, i) => {
            if (!kind.learns(i % size)) return;
            side.rows[i] = value + 1e-3;
            const above = weighted();
            side.rows[i] = value - 1e-3;
            const slope = (above - weighted()) / 2e-3;
            side.rows[i] = value;
            expect(Math.abs(Number(gradient.data[i]) - slope)).toBeLessThan(
              2e-2 * Math.max(1, Math.abs(slope)),
            );
          });
        }
      }
      await session.release();
    });

    test('an index of rows finds its best documents, where it says so', () => {
      const random = Random.from(9, 'scorer');
      const [queries, documents] = [
        randomSide(random, 4, most.queries, kind.draw),
        randomSide(random, 12, most.documents, kind.draw),
      ];
      const differing = bruteForce(queries, documents).filter((score, pair) => {
        const query = textOf(queries, Math.floor(pair / 12));
        const document = textOf(documents, pair % 12);
        const rowsOf = (text: Float32Array) =>
          Array.from({ length: text.length / size }, (_, row) => text.subarray(row * size));
        const products = rowsOf(query).flatMap((row) =>
          rowsOf(document).map((other) => dot(row, other, size)),
        );
        return Math.abs(score - SCALE * Math.max(...products)) > 1e-5;
      });
      expect(differing.length > 0).toBe(!scorer.bestInnerProduct);
    });
  });
}
