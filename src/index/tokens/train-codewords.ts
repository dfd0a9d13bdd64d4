import { principalDirections } from '../clusters/principal-directions.js';
import { CodewordFinder, WORDS } from './codeword-finder.js';
import { type Codebook, FIRST_BYTES, packedBytes } from './residual-codec.js';

/** Rounds in which codewords are moved; after these, hardly anything changes. */
const ROUNDS = 8;
/** Rounds in which the levels of a single number are moved. */
const LEVEL_ROUNDS = 20;
/** As many rows as a codeword's start counts for, so that a few rows do not decide all. */
const START_WEIGHT = 1;

/** How rows lie that are kept. */
export interface KeptDirections {
  /** dimension × dimension, row by row, byte after byte. */
  directions: Float32Array;
  /** How many of them each byte is kept of. */
  sizes: Uint32Array;
}

/**
 * The principal directions of what rows differ from their centroids by, dealt out to bytes so that each has as much to say (the
 * product of variances, Ge et al. 2013). The first bytes get those that vary most, so that they alone say much of where a row lies.
 */
export function keptDirections(
  rows: Float32Array,
  { dimension, bits }: Pick<Codebook, 'dimension' | 'bits'>,
  seed: number,
): KeptDirections {
  const columns = principalDirections(rows, { own: dimension, size: dimension, seed });
  const variances = variancesAlong(rows, columns, dimension);
  const groups = dealtOut(variances, packedBytes({ dimension, bits }));
  const directions = new Float32Array(dimension * dimension);
  groups.flat().forEach((from, to) => {
    for (let i = 0; i < dimension; i++) directions[to * dimension + i] = columns[i * dimension + from];
  });
  return { directions, sizes: Uint32Array.from(groups, ({ length }) => length) };
}

function variancesAlong(rows: Float32Array, columns: Float32Array, dimension: number): Float64Array {
  const variances = new Float64Array(dimension);
  const turned = new Float32Array(dimension);
  for (let start = 0; start < rows.length; start += dimension) {
    turned.fill(0);
    for (let i = 0; i < dimension; i++) {
      const value = rows[start + i];
      for (let j = 0; j < dimension; j++) turned[j] += value * columns[i * dimension + j];
    }
    for (let j = 0; j < dimension; j++) variances[j] += turned[j] * turned[j];
  }
  return variances;
}

/** Most bits that a component can use: a byte of its own. */
const MOST_BITS = Math.log2(WORDS);
/** What a component counts for that is not worth a bit, so that these are dealt out evenly, too. */
const LEAST_BITS = 0.05;

/**
 * Which components each of so many bytes is kept of, by their variances. Those that vary most go to the first bytes, the
 * {@link FIRST_BYTES}, up to what these have room for; the others to the rest.
 */
export function dealtOut(variances: ArrayLike<number>, bytes: number): number[][] {
  const worth = bitsWorth(Array.from(variances), bytes);
  const largestFirst = [...worth.keys()].sort((a, b) => worth[b] - worth[a] || a - b);
  const early = Math.ceil(FIRST_BYTES * bytes);
  let [end, bits] = [0, 0];
  // The rest has at least a component for each byte.
  while (
    end < largestFirst.length - (bytes - early) &&
    (end < early || bits + worth[largestFirst[end]] / 2 < early * MOST_BITS)
  ) {
    bits += worth[largestFirst[end++]];
  }
  return [
    ...evenly(largestFirst.slice(0, end), worth, early),
    ...evenly(largestFirst.slice(end), worth, bytes - early),
  ];
}

/**
 * Half the logarithm of a component's variance above a level, in bits: what it is worth where bytes are few (reverse water-filling). The level is
 * where as many are asked for as there are.
 */
function bitsWorth(variances: readonly number[], bytes: number): number[] {
  const most = Math.max(...variances) || 1;
  const worth = (level: number): number[] =>
    variances.map((variance) =>
      Math.min(MOST_BITS, Math.max(LEAST_BITS, 0.5 * Math.log2(variance / level) || 0)),
    );
  let [low, high] = [most * 2 ** -40, most];
  for (let round = 0; round < 60; round++) {
    const middle = Math.sqrt(low * high);
    if (worth(middle).reduce((sum, bits) => sum + bits, 0) > bytes * MOST_BITS) low = middle;
    else high = middle;
  }
  return worth(high);
}

/** Each of some components, largest first, to the byte that has least so far; none stays without one. */
function evenly(components: readonly number[], worth: readonly number[], bytes: number): number[][] {
  const groups = Array.from({ length: bytes }, () => ({ members: [] as number[], bits: 0 }));
  components.forEach((component, place) => {
    const empty = groups.filter(({ members }) => members.length === 0);
    const open = empty.length === components.length - place ? empty : groups;
    const group = open.reduce((least, other) => (other.bits < least.bits ? other : least));
    group.members.push(component);
    group.bits += worth[component];
  });
  return groups.map(({ members }) => members);
}

/**
 * What bytes stand for: 256 codewords for each group of components, by k-means on differences that lie along the kept directions. They start as
 * the products of levels of single components, where a component that varies more has more; one that no row is near stays
 * there, for rows that come later.
 */
export function trainCodewords(rows: Float32Array, sizes: Uint32Array): Float32Array {
  const dimension = sizes.reduce((sum, size) => sum + size, 0);
  const start = new Float32Array(dimension * WORDS);
  let first = 0;
  for (const size of sizes) {
    start.set(productWords(rows, { size, dimension, first }), first * WORDS);
    first += size;
  }
  const places = new Uint8Array((rows.length / dimension) * sizes.length);
  let words: Float32Array = start;
  for (let round = 0; round < ROUNDS; round++) {
    new CodewordFinder(words, sizes).find(rows, places);
    words = movedWords(rows, places, start, sizes);
  }
  return words;
}

/** Every combination of the levels of a group's components. */
function productWords(
  rows: Float32Array,
  { size, dimension, first }: { size: number; dimension: number; first: number },
): Float32Array {
  const components = Array.from({ length: size }, (_, i) => {
    const values = new Float32Array(rows.length / dimension);
    for (let row = 0; row < values.length; row++) values[row] = rows[row * dimension + first + i];
    return values;
  });
  const bits = bitsByVariance(components.map(variance));
  const levels = components.map((values, i) => levelsOf(values, 2 ** bits[i]));
  const words = new Float32Array(WORDS * size);
  for (let word = 0; word < WORDS; word++) {
    let rest = word;
    for (let i = 0; i < size; i++) {
      words[word * size + i] = levels[i][rest % levels[i].length];
      rest = Math.floor(rest / levels[i].length);
    }
  }
  return words;
}

const variance = (values: Float32Array): number => values.reduce((sum, value) => sum + value * value, 0);

/** Eight bits, one after another to the component that still loses most: a bit makes its error a quarter. */
function bitsByVariance(variances: readonly number[]): number[] {
  const [bits, left] = [variances.map(() => 0), [...variances]];
  for (let bit = 0; bit < MOST_BITS; bit++) {
    const most = left.indexOf(Math.max(...left));
    bits[most]++;
    left[most] /= 4;
  }
  return bits;
}

/**
 * Levels that make the squared error of rounding to them least (Lloyd 1982): each is the mean of what is nearest to it. They start
 * where they hold as many each.
 */
export function levelsOf(values: Float32Array, count: number): Float32Array {
  const sorted = values.toSorted();
  const sums = new Float64Array(sorted.length + 1);
  for (let i = 0; i < sorted.length; i++) sums[i + 1] = sums[i] + sorted[i];
  /** Level `i` has the values `starts[i] … starts[i + 1] - 1`. */
  const starts = Uint32Array.from({ length: count + 1 }, (_, i) => Math.floor((i * sorted.length) / count));
  const levels = Float32Array.from({ length: count }, (_, i) => sorted[starts[i]] ?? 0);
  for (let round = 0; round < LEVEL_ROUNDS; round++) {
    for (let i = 0; i < count; i++) {
      const size = starts[i + 1] - starts[i];
      if (size > 0) levels[i] = (sums[starts[i + 1]] - sums[starts[i]]) / size;
    }
    for (let i = 0; i + 1 < count; i++) starts[i + 1] = firstAbove(sorted, (levels[i] + levels[i + 1]) / 2);
  }
  return levels;
}

/** The place of the first number above a limit, in ascending ones. */
function firstAbove(sorted: Float32Array, limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The means of the rows that are nearest to each codeword, and of where it started. */
function movedWords(
  rows: Float32Array,
  places: Uint8Array,
  start: Float32Array,
  sizes: Uint32Array,
): Float32Array {
  const sums = Float64Array.from(start, (value) => START_WEIGHT * value);
  const counts = new Float64Array(sizes.length * WORDS).fill(START_WEIGHT);
  for (let place = 0, from = 0; place < places.length; ) {
    for (let group = 0, first = 0; group < sizes.length; group++, place++) {
      const size = sizes[group];
      const word = places[place];
      counts[group * WORDS + word]++;
      const to = first * WORDS + word * size;
      for (let i = 0; i < size; i++, from++) sums[to + i] += rows[from];
      first += size;
    }
  }
  const moved = new Float32Array(start.length);
  let [group, end] = [-1, 0];
  for (let i = 0; i < moved.length; i++) {
    while (i >= end) end += sizes[++group] * WORDS;
    const word = Math.floor((i - (end - sizes[group] * WORDS)) / sizes[group]);
    moved[i] = sums[i] / counts[group * WORDS + word];
  }
  return moved;
}
