import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Random } from '../../engine/index.js';
import { maxSim } from '../../model/scorer/max-sim.js';
import { CodewordFinder, WORDS } from './codeword-finder.js';
import { type Codebook, packedBytes, ResidualCodec, TOKEN_BITS } from './residual-codec.js';
import {
  type LateQuery,
  longestWords,
  MOST_QUERY_ROWS,
  TokenKernel,
  unitFor,
  vectorsFor,
} from './token-kernel.js';
import { dealtOut, levelsOf } from './train-codewords.js';

function normals(random: Random, count: number, scale = 1): Float32Array {
  return Float32Array.from({ length: count }, () => scale * random.normal());
}

/** Rows of length 1. */
function units(random: Random, rows: number, dimension: number): Float32Array {
  const numbers = normals(random, rows * dimension);
  return numbers.map((value, i) => {
    const start = Math.floor(i / dimension) * dimension;
    return value / Math.hypot(...numbers.subarray(start, start + dimension));
  });
}

/** A codebook of numbers that nobody learned: what a kernel computes must be right of any. */
function anyCodebook(random: Random, dimension: number, bits: (typeof TOKEN_BITS)[number]): Codebook {
  const variances = Array.from({ length: dimension }, (_, i) => 0.9 ** i);
  const groups = dealtOut(variances, packedBytes({ dimension, bits }));
  const sizes = Uint32Array.from(groups, ({ length }) => length);
  const codewords = normals(random, dimension * WORDS, 0.1);
  const directions = Float32Array.from({ length: dimension ** 2 }, (_, i) =>
    Number(i % (dimension + 1) === 0),
  );
  const scales = { lowest: 0.9, step: 0.002 };
  return { dimension, bits, directions, centroids: units(random, 20, dimension), sizes, codewords, scales };
}

function lateQuery(query: Float32Array, codec: ResidualCodec): LateQuery {
  const { dimension, centroids } = codec.codebook;
  const unit = unitFor(query, codec.codebook, longestWords(codec.codebook));
  const numbers = query.map((value) => value / unit);
  const rows = query.length / dimension;
  const products = Float32Array.from({ length: (centroids.length / dimension) * rows }, (_, i) => {
    const [centroid, row] = [Math.floor(i / rows) * dimension, (i % rows) * dimension];
    let sum = 0;
    for (let j = 0; j < dimension; j++) sum += centroids[centroid + j] * numbers[row + j];
    return sum;
  });
  return { rows, numbers, centroids: products, unit };
}

test('sums are those of rows that are put together first, of any size and for any query', () => {
  fc.assert(
    fc.property(
      fc.record({
        seed: fc.nat(1000),
        bits: fc.constantFrom(...TOKEN_BITS),
        dimension: fc.integer({ min: 1, max: 40 }),
        queryRows: fc.integer({ min: 1, max: 70 }),
        counts: fc.array(fc.nat(9), { minLength: 1, maxLength: 6 }),
      }),
      ({ seed, bits, dimension, queryRows, counts }) => {
        const random = Random.from(seed, 'kernel');
        const codec = new ResidualCodec(anyCodebook(random, dimension, bits));
        const rows = counts.reduce((sum, count) => sum + count, 0);
        const codes = Uint32Array.from(
          { length: rows },
          () => random.integer(20) + 2 ** 24 * random.integer(256),
        );
        const packed = Uint8Array.from({ length: rows * codec.rowBytes }, () => random.integer(256));
        const decoded = new Float32Array(rows * dimension);
        codec.decode(codes, packed, decoded);
        const query = units(random, queryRows, dimension);
        const late = lateQuery(query, codec);
        const kernel = new TokenKernel(codec, { vectors: vectorsFor(queryRows), longest: 9 });
        kernel.codes.set(codes);
        kernel.packed.set(packed);
        kernel.counts.set(counts);
        const found = new Float64Array(counts.length);
        for (let first = 0; first < queryRows; first += MOST_QUERY_ROWS) {
          kernel.load(late, first);
          kernel.sums(counts.length, 'whole').forEach((sum, i) => {
            found[i] += sum * late.unit * kernel.largestScale;
          });
        }
        let start = 0;
        counts.forEach((count, i) => {
          const own = decoded.subarray(start * dimension, (start + count) * dimension);
          start += count;
          if (count > 0)
            expect(Math.abs(found[i] - maxSim(query, own, dimension))).toBeLessThan(2e-3 * queryRows);
        });
      },
    ),
    { numRuns: 60 },
  );
});

test('the nearest codeword of every group', () => {
  const random = Random.from(5, 'finder');
  const sizes = Uint32Array.of(1, 2, 4, 9);
  const words = normals(random, 16 * WORDS);
  const rows = normals(random, 300 * 16);
  const places = new Uint8Array(300 * 4);
  new CodewordFinder(words, sizes).find(rows, places);
  places.forEach((place, i) => {
    const [row, group] = [Math.floor(i / 4), i % 4];
    const first = [0, 1, 3, 7][group];
    const distance = (word: number): number => {
      let sum = 0;
      for (let j = 0; j < sizes[group]; j++) {
        sum += (rows[row * 16 + first + j] - words[first * WORDS + word * sizes[group] + j]) ** 2;
      }
      return sum;
    };
    const least = Math.min(...Array.from({ length: WORDS }, (_, word) => distance(word)));
    expect(distance(place)).toBeLessThan(least + 1e-5);
  });
});

test('bytes get few components that vary much, and many that vary little', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 2, maxLength: 80 }),
      fc.constantFrom(...TOKEN_BITS),
      (variances, bits) => {
        const groups = dealtOut(variances, packedBytes({ dimension: variances.length, bits }));
        expect(groups.length).toBe(packedBytes({ dimension: variances.length, bits }));
        expect(groups.flat().toSorted((a, b) => a - b)).toEqual([...variances.keys()]);
        if (variances.length >= groups.length) for (const group of groups) expect(group).not.toEqual([]);
      },
    ),
  );
  expect(dealtOut([1e-4, 1, 1e-4, 1e-4, 1e-4, 1e-4, 1e-4, 1e-4], 2)).toEqual([[1], [0, 2, 3, 4, 5, 6, 7]]);
  expect(dealtOut(new Array(8).fill(1), 2).map(({ length }) => length)).toEqual([4, 4]);
});

test('levels of a normal distribution are those of Max (1960)', () => {
  const random = Random.from(5, 'levels');
  const levels = levelsOf(normals(random, 100_000), 4);
  [-1.51, -0.4528, 0.4528, 1.51].forEach((level, i) => {
    expect(levels[i]).toBeCloseTo(level, 1);
  });
});
