import { bits, type DenseTensor, type RandomKey, randomKey, sizeOf } from '../../engine/index.js';
import { boundDims } from './encoder-graph.js';
import type { PackedBatch } from './packed-batch.js';
import type { DropoutPlace } from './states-graph.js';

/** What random numbers of a step depend on. */
export interface StepRandom {
  seed: number;
  step: number;
  /** Tells the parts of a step apart that are computed one after another. */
  part?: number;
}

/**
 * Fresh dropout factors for every place: 0 with probability `rate`, else 1/(1−rate). A pure function of (seed,
 * step, part), so that a resumed run drops what the first one dropped.
 */
export function dropoutFeeds(
  places: readonly DropoutPlace[],
  packed: PackedBatch,
  random: StepRandom,
  prefix = '',
): Record<string, DenseTensor> {
  return dropoutFactors(places, boundDims(packed, prefix), random);
}

/** The same for a graph whose named dimensions have the sizes in `dims`. */
export function dropoutFactors(
  places: readonly DropoutPlace[],
  dims: ReadonlyMap<string, number>,
  { seed, step, part = 0 }: StepRandom,
): Record<string, DenseTensor> {
  const feeds: Record<string, DenseTensor> = {};
  for (const { input, shape, rate } of places) {
    const sizes = shape.map((dim) => (typeof dim === 'number' ? dim : dims.get(dim)!));
    const data = new Float32Array(sizeOf(sizes));
    fillDropout(data, rate, randomKey(seed, 'dropout', input, step, part));
    feeds[input] = { shape: sizes, data };
  }
  return feeds;
}

/** Each 32 random bits decide two elements: dropout does not need finer odds than 1/65,536. */
function fillDropout(data: Float32Array, rate: number, key: RandomKey): void {
  const threshold = Math.round(rate * 65536);
  const kept = 65536 / (65536 - threshold);
  for (let i = 0; i < data.length; i += 2) {
    const random = bits(key, i >>> 1);
    data[i] = (random & 0xffff) < threshold ? 0 : kept;
    if (i + 1 < data.length) data[i + 1] = random >>> 16 < threshold ? 0 : kept;
  }
}
