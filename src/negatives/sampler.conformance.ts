import { describe, expect, test } from 'vitest';
import { Random } from '../engine/random.js';
import type { Negative, NegativeSource, PositivesOf } from './sampler.js';

/** A source made for the suite, and what is known of it. */
export interface Conformance {
  name: string;
  source: NegativeSource;
  positives: PositivesOf;
  /** Every document that may be drawn for a query, with its chance to be the first of a draw of `count`. */
  chances: (query: number, count: number) => ReadonlyMap<number, number>;
  /** Queries to try, at least one with fewer candidates than {@link MANY}. */
  queries: number[];
  /** What each negative must tell of its origin. */
  provenance: (negative: Negative, query: number) => void;
}

const MANY = 1000;
const DRAWS = 20_000;

/** What every source of negatives must do; one call for each. */
export function samplerConformance(subject: Conformance): void {
  const { source, positives, queries, chances } = subject;
  const draw = (query: number, count: number, step = 0): Negative[] =>
    source.sample(query, Random.from(42, 'negatives', step, query), count);
  const documents = (negatives: Negative[]): number[] => negatives.map(({ document }) => document);

  describe(subject.name, () => {
    test('never draws a known positive, nor a document twice', () => {
      for (const query of queries) {
        const known = new Set(positives(query));
        for (const count of [1, 2, 3, MANY]) {
          for (let step = 0; step < 50; step++) {
            const drawn = documents(draw(query, count, step));
            expect(drawn.filter((document) => known.has(document))).toEqual([]);
            expect(new Set(drawn).size).toBe(drawn.length);
          }
        }
      }
    });

    test('draws the same for the same key and something else for another', () => {
      for (const query of queries) {
        if (chances(query, 2).size < 3) continue;
        expect(draw(query, 2, 7)).toEqual(draw(query, 2, 7));
        const different = new Set(
          Array.from({ length: 50 }, (_, step) => documents(draw(query, 2, step)).join()),
        );
        expect(different.size).toBeGreaterThan(2);
      }
    });

    test('gives as many as asked, or all there are', () => {
      for (const query of queries) {
        const available = chances(query, MANY).size;
        for (const count of [0, 1, 2, available - 1, available, MANY]) {
          if (count < 0) continue;
          expect(draw(query, count)).toHaveLength(Math.min(count, available));
        }
        expect(new Set(documents(draw(query, MANY)))).toEqual(new Set(chances(query, MANY).keys()));
      }
    });

    test('says where each negative came from', () => {
      for (const query of queries) {
        for (const negative of draw(query, 5)) {
          expect(negative.source).not.toBe('');
          subject.provenance(negative, query);
        }
      }
    });

    test('reaches every candidate as often as it should', () => {
      for (const query of queries) {
        const expected = chances(query, 1);
        if (expected.size === 0) continue;
        const counts = new Map<number, number>();
        for (let step = 0; step < DRAWS; step++) {
          const [document] = documents(draw(query, 1, step));
          counts.set(document, (counts.get(document) ?? 0) + 1);
        }
        expect([...counts.keys()].filter((document) => !expected.has(document))).toEqual([]);
        for (const [document, chance] of expected) {
          // Five standard deviations: a right source fails once in a million documents.
          const tolerance = 5 * Math.sqrt(DRAWS * chance * (1 - chance)) + 1e-9;
          const off = Math.abs((counts.get(document) ?? 0) - DRAWS * chance);
          expect(off, `document ${document} of query ${query}`).toBeLessThanOrEqual(tolerance);
        }
      }
    });
  });
}
