import { Random } from '../../engine/index.js';

/** Rounds of orthogonal iteration: directions of nearly the same weight may still be mixed, which loses next to nothing. */
const ROUNDS = 12;
/** What is left of a row, beside what it was, where nothing but rounding is. */
const ROUNDING = 1e-12;

/**
 * The directions that hold most of some rows, as columns of a matrix [own, size]: the largest eigenvectors of the rows' second
 * moments, by orthogonal iteration. Rows are not centred, because inner products are what is to be kept. Where rows lie in fewer
 * directions than are asked for, others complete them, up to `own`.
 */
export function principalDirections(
  rows: Float32Array,
  { own, size, seed }: { own: number; size: number; seed: number },
): Float32Array {
  const moments = secondMoments(rows, own);
  const random = Random.from(seed, 'directions');
  // Directions lie row by row while they are worked on: [size, own].
  let directions = orthonormal(
    Float64Array.from({ length: size * own }, () => random.normal()),
    own,
  );
  for (let round = 0; round < ROUNDS; round++) {
    const next = new Float64Array(size * own);
    for (let d = 0; d < size; d++) {
      for (let i = 0; i < own; i++) {
        const factor = directions[d * own + i];
        for (let j = 0; j < own; j++) next[d * own + j] += factor * moments[i * own + j];
      }
    }
    directions = orthonormal(next, own);
  }
  const columns = new Float32Array(own * size);
  for (let d = 0; d < size; d++)
    for (let i = 0; i < own; i++) columns[i * size + d] = directions[d * own + i];
  return columns;
}

/** Rows of another size: along `directions`, or, where there are none, with zeros behind. */
export function reduceRows(
  rows: Float32Array,
  options: { own: number; size: number; directions?: Float32Array; normalize: boolean },
): Float32Array {
  const { own, size, directions, normalize } = options;
  const count = rows.length / own;
  const reduced = new Float32Array(count * size);
  for (let row = 0; row < count; row++) {
    const [from, to] = [row * own, row * size];
    if (directions) {
      for (let i = 0; i < own; i++)
        for (let d = 0; d < size; d++) reduced[to + d] += rows[from + i] * directions[i * size + d];
    } else reduced.set(rows.subarray(from, from + own), to);
    if (!normalize) continue;
    const length = Math.hypot(...reduced.subarray(to, to + size));
    if (length > 0) for (let d = 0; d < size; d++) reduced[to + d] /= length;
  }
  return reduced;
}

function secondMoments(rows: Float32Array, own: number): Float64Array {
  const moments = new Float64Array(own * own);
  for (let start = 0; start < rows.length; start += own) {
    for (let i = 0; i < own; i++) {
      const factor = rows[start + i];
      for (let j = 0; j < own; j++) moments[i * own + j] += factor * rows[start + j];
    }
  }
  return moments;
}

/** Gram–Schmidt, in place; rows of `width`. A row that those before it leave nothing of gives way to an axis that they do. */
function orthonormal(rows: Float64Array, width: number): Float64Array {
  for (let start = 0; start < rows.length; start += width) {
    const row = rows.subarray(start, start + width);
    const before = lengthOf(row);
    let length = leaveRest(row, rows, start);
    let enough = ROUNDING * before;
    for (let i = 0; length <= enough && i < width; i++) {
      row.fill(0);
      row[(start / width + i) % width] = 1;
      length = leaveRest(row, rows, start);
      // The rows before leave at least so much of one of the axes.
      enough = 1 / (2 * Math.sqrt(width));
    }
    for (let i = 0; i < width; i++) row[i] /= length || 1;
  }
  return rows;
}

/** Takes out of a row what the orthonormal ones before it hold, twice, so that rounding leaves nothing; gives its length. */
function leaveRest(row: Float64Array, rows: Float64Array, start: number): number {
  for (let pass = 0; pass < 2; pass++) {
    for (let other = 0; other < start; other += row.length) {
      let product = 0;
      for (let i = 0; i < row.length; i++) product += row[i] * rows[other + i];
      for (let i = 0; i < row.length; i++) row[i] -= product * rows[other + i];
    }
  }
  return lengthOf(row);
}

function lengthOf(row: Float64Array): number {
  return Math.sqrt(row.reduce((sum, x) => sum + x * x, 0));
}
