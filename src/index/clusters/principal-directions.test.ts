import { expect, test } from 'vitest';
import { Random } from '../../engine/index.js';
import { principalDirections, reduceRows } from './principal-directions.js';

const OWN = 12;

/** Rows that lie in a space of `rank` dimensions, but for some noise. */
function rowsOfRank(rank: number, count: number, noise: number): Float32Array {
  const random = Random.from(7, 'rows');
  const basis = Array.from({ length: rank * OWN }, () => random.normal());
  const rows = new Float32Array(count * OWN);
  for (let row = 0; row < count; row++) {
    for (let k = 0; k < rank; k++) {
      const factor = random.normal();
      for (let i = 0; i < OWN; i++) rows[row * OWN + i] += factor * basis[k * OWN + i];
    }
    for (let i = 0; i < OWN; i++) rows[row * OWN + i] += noise * random.normal();
  }
  return rows;
}

const product = (rows: Float32Array, size: number, a: number, b: number): number => {
  let sum = 0;
  for (let i = 0; i < size; i++) sum += rows[a * size + i] * rows[b * size + i];
  return sum;
};

test('along the principal directions inner products stay what they are', () => {
  const rows = rowsOfRank(4, 40, 1e-3);
  const directions = principalDirections(rows, { own: OWN, size: 4, seed: 1 });
  for (let a = 0; a < 4; a++) {
    for (let b = 0; b < 4; b++) {
      let sum = 0;
      for (let i = 0; i < OWN; i++) sum += directions[i * 4 + a] * directions[i * 4 + b];
      expect(sum).toBeCloseTo(a === b ? 1 : 0, 5);
    }
  }
  const reduced = reduceRows(rows, { own: OWN, size: 4, directions, normalize: false });
  for (let a = 0; a < 40; a += 7) {
    expect(product(reduced, 4, a, 39 - a) / product(rows, OWN, a, 39 - a)).toBeCloseTo(1, 1);
  }
  expect(principalDirections(rows, { own: OWN, size: 4, seed: 1 })).toEqual(directions);
});

test.each([0, 1, 5])('rows of rank %i have all directions, each at right angles to the others', (rank) => {
  const directions = principalDirections(rowsOfRank(rank, 40, 0), { own: OWN, size: OWN, seed: 1 });
  for (let a = 0; a < OWN; a++) {
    for (let b = 0; b < OWN; b++) {
      let sum = 0;
      for (let i = 0; i < OWN; i++) sum += directions[i * OWN + a] * directions[i * OWN + b];
      expect(sum).toBeCloseTo(a === b ? 1 : 0, 5);
    }
  }
});

test('shorter rows get zeros behind, and rows of length 1 stay so', () => {
  const rows = rowsOfRank(3, 5, 0);
  const longer = reduceRows(rows, { own: OWN, size: 16, normalize: false });
  expect(product(longer, 16, 1, 3)).toBeCloseTo(product(rows, OWN, 1, 3), 4);
  const unit = reduceRows(rows, { own: OWN, size: 16, normalize: true });
  expect(product(unit, 16, 2, 2)).toBeCloseTo(1, 5);
});
