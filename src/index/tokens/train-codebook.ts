import { Random, type SessionOptions } from '../../engine/index.js';
import { openAssigner, sphericalKMeans } from '../clusters/spherical-k-means.js';
import { type Codebook, differences, ResidualCodec, type TokenBits } from './residual-codec.js';
import { RowProducts } from './row-products.js';
import { keptDirections, trainCodewords } from './train-codewords.js';

/** Rows that a centroid is learned from, at most: more cost time and memory and change little. */
const ROWS_PER_CENTROID = 32;
const ROUNDS = 4;
/** Rows whose differences decide the codewords: a share of all within limits, so that it takes less time than packing all. */
const ROWS_FOR_WORDS = { share: 1 / 16, least: 8192, most: 65_536 };
/** Fewer are enough for directions. */
const ROWS_FOR_DIRECTIONS = 16_384;

/**
 * How many centroids rows get: a power of two up to 8·√rows. Half of what ColBERTv2 takes, which was chosen for GPUs; half of this
 * again lost .008 of nDCG@10 at 2 bits (8,500 documents of medquad, 300 dev queries).
 */
export function centroidsFor(rows: number): number {
  return Math.max(1, Math.min(rows, 2 ** Math.floor(Math.log2(8 * Math.sqrt(rows)))));
}

/** Rows that a codebook of so many rows is learned from. */
export function sampleSize(rows: number): number {
  return Math.min(rows, ROWS_PER_CENTROID * centroidsFor(rows));
}

export interface TrainCodebookOptions {
  dimension: number;
  bits: TokenBits;
  /** Rows that there are in all. */
  rows: number;
  seed?: number;
  session?: SessionOptions;
  onRound?: (round: number, rounds: number) => void;
}

/** Centroids from a sample of rows, and from what some of these differ from them by directions and codewords. */
export async function trainCodebook(
  sample: Float32Array,
  { dimension, bits, rows, seed = 0, session, onRound }: TrainCodebookOptions,
): Promise<Codebook> {
  const count = sample.length / dimension;
  const { centroids } = await sphericalKMeans(sample, {
    dimension,
    clusters: Math.min(centroidsFor(rows), count),
    seed,
    rounds: ROUNDS,
    session,
    onRound,
  });
  // The sample comes in no order, so that its beginning is one, too.
  const { share, least, most } = ROWS_FOR_WORDS;
  const wanted = Math.max(least, Math.min(most, Math.ceil(share * rows)));
  const some = sample.subarray(0, wanted * dimension);
  const [assigner, products] = [
    await openAssigner(dimension, session),
    await RowProducts.open(dimension, session),
  ];
  try {
    const { places } = await assigner.assign(some, centroids);
    const shape = { dimension, bits };
    const straight = differences(some, places, { dimension, centroids });
    const few = straight.subarray(0, ROWS_FOR_DIRECTIONS * dimension);
    const { directions, sizes } = keptDirections(few, shape, seed);
    const turned = { ...shape, directions, sizes, centroids: await products.of(centroids, directions) };
    const rowsTurned = await products.of(some, directions);
    const codewords = trainCodewords(differences(rowsTurned, places, turned), sizes);
    const codebook: Codebook = { ...turned, codewords };
    return { ...codebook, scales: new ResidualCodec(codebook).scalesFor(rowsTurned, places) };
  } finally {
    await products.release();
    await assigner.release();
  }
}

/** A sample of rows that come in blocks: every row is as likely, and the same seed takes the same. */
export async function sampleRows(
  blocks: AsyncIterable<Float32Array>,
  { dimension, rows, seed = 0 }: Pick<TrainCodebookOptions, 'dimension' | 'rows' | 'seed'>,
): Promise<Float32Array> {
  const size = sampleSize(rows);
  const random = Random.from(seed, 'token sample');
  const sample = new Float32Array(size * dimension);
  let [seen, taken] = [0, 0];
  for await (const block of blocks) {
    for (let row = 0; row * dimension < block.length; row++, seen++) {
      // Of those still to come as many are taken as are still wanted (Knuth's selection sampling).
      if (random.integer(rows - seen) >= size - taken) continue;
      sample.set(block.subarray(row * dimension, (row + 1) * dimension), taken++ * dimension);
    }
  }
  // The first rows decide more than centroids: they must not all be of the first documents.
  return shuffled(sample.subarray(0, taken * dimension), dimension, random);
}

function shuffled(rows: Float32Array, dimension: number, random: Random): Float32Array {
  const order = random.shuffle(Int32Array.from({ length: rows.length / dimension }, (_, i) => i));
  const mixed = new Float32Array(rows.length);
  order.forEach((from, to) => {
    mixed.set(rows.subarray(from * dimension, (from + 1) * dimension), to * dimension);
  });
  return mixed;
}
