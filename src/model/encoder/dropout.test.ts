import { expect, test } from 'vitest';
import { representationOf } from '../representation/kinds.js';
import { dropoutFeeds } from './dropout.js';
import { packBatch } from './packed-batch.js';
import type { DropoutPlace } from './states-graph.js';

const packed = packBatch(
  [{ ids: new Int32Array(50).fill(3) }, { ids: new Int32Array(40).fill(3) }, { ids: [3, 4] }],
  {
    groups: 2,
    representation: representationOf({ pooling: 'mean' }, 'documents'),
    padTokenId: 0,
    positionOffset: 0,
  },
);
const place = (name: string, rate: number, width = 64): DropoutPlace => ({
  input: `dropout.${name}`,
  shape: ['tokens', width],
  rate,
});
const feed = (places: DropoutPlace[], random = { seed: 1, step: 0 }) => dropoutFeeds(places, packed, random);

test.each([0.1, 0.25, 0.5])(
  'rate %f: as many zeros as asked for, the rest scaled up to keep the mean',
  (rate) => {
    const { data, shape } = feed([place('a', rate)])['dropout.a'];
    expect(shape).toEqual([102, 64]);
    const values = [...(data as Float32Array)];
    const kept = 65536 / (65536 - Math.round(rate * 65536));
    expect(new Set(values)).toEqual(new Set([0, Math.fround(kept)]));
    expect(kept).toBeCloseTo(1 / (1 - rate), 4);
    const zeros = values.filter((value) => value === 0).length / values.length;
    expect(Math.abs(zeros - rate)).toBeLessThan(0.03);
  },
);

test('the same seed, step and part give the same factors; any other gives others', () => {
  const places = [place('a', 0.1), place('b', 0.1)];
  const first = feed(places);
  expect(feed(places)).toEqual(first);
  expect(first['dropout.a'].data).not.toEqual(first['dropout.b'].data);
  for (const random of [
    { seed: 2, step: 0 },
    { seed: 1, step: 1 },
    { seed: 1, step: 0, part: 1 },
  ]) {
    expect(feed(places, random)['dropout.a'].data).not.toEqual(first['dropout.a'].data);
  }
});

test('shapes follow the groups of the batch, odd sizes included', () => {
  const attention: DropoutPlace = { input: 'x', shape: ['texts1', 3, 'length1', 'length1'], rate: 0.5 };
  const [texts, length] = packed.groups[1].bias.shape;
  const { shape, data } = feed([attention, place('odd', 0.5, 1)]).x;
  expect(shape).toEqual([texts, 3, length, length]);
  expect(data).toHaveLength(texts * 3 * length * length);
  const single = feed([{ input: 'y', shape: [1], rate: 0.5 }]).y.data as Float32Array;
  expect([0, 2]).toContain(single[0]);
});
