import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Encoder } from '../encoder.js';
import { smallEncoder, smallTexts } from '../small-encoder.fixture.js';
import { encodeCollection } from './encode-collection.js';

const TEXTS = smallTexts(11);

let encoder: Encoder;
beforeAll(async () => {
  encoder = await smallEncoder();
});
afterAll(() => encoder.release());

test('shards come in order, each as its texts are encoded by themselves, and nothing is read ahead', async () => {
  let read = 0;
  async function* texts(): AsyncGenerator<string> {
    for (const text of TEXTS) {
      read++;
      yield text;
    }
  }
  const readAt: number[] = [];
  let [tokens, done] = [0, 0];
  const shards = encodeCollection(texts(), {
    encode: (part, onBatch) => encoder.encode(part, { onBatch }),
    shardSize: 4,
    onBatch: (batch) => {
      done += batch.texts;
      tokens += batch.tokens;
    },
  });
  const members: string[] = [];
  for await (const { vectors, offsets, members: part } of shards) {
    members.push(...part);
    readAt.push(read);
    expect({ vectors, offsets }).toEqual(await encoder.encode(part));
  }
  expect(members).toEqual(TEXTS);
  expect(readAt).toEqual([4, 8, 11]);
  expect(done).toBe(11);
  expect(tokens).toBe((await encoder.tokenize(TEXTS)).ids.length);
});

describe('how a collection is cut', () => {
  const nothing = async (): Promise<{ vectors: Float32Array; offsets: Uint32Array }> => ({
    vectors: new Float32Array(),
    offsets: Uint32Array.of(0),
  });
  const cuts = async (members: Iterable<number>, options: object): Promise<number[]> => {
    const sizes: number[] = [];
    for await (const shard of encodeCollection(members, { encode: nothing, shardSize: 3, ...options }))
      sizes.push(shard.members.length);
    return sizes;
  };

  test('into shards of one size, the last as it comes; nothing where there is nothing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 20 }), fc.integer({ min: 1, max: 6 }), async (count, shardSize) => {
        const sizes = await cuts(Array(count).keys(), { shardSize });
        expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(count);
        expect(sizes.slice(0, -1).every((size) => size === shardSize)).toBe(true);
        expect(sizes.every((size) => size > 0)).toBe(true);
      }),
    );
  });

  test('long texts end their shard early', async () => {
    const charactersOf = (megabytes: number): number => megabytes * 2 ** 20;
    expect(await cuts([1, 1, 1, 15, 1, 20, 1], { charactersOf })).toEqual([3, 2, 1, 1]);
  });
});

test('a signal ends it within a batch', async () => {
  const stop = new AbortController();
  let batches = 0;
  const shards = encodeCollection(TEXTS, {
    encode: async (part, onBatch) => {
      for (const _ of part) onBatch({ texts: 1, tokens: 1 });
      return encoder.encode(part);
    },
    shardSize: 4,
    onBatch: () => {
      if (++batches === 6) stop.abort();
    },
    signal: stop.signal,
  });
  expect((await shards.next()).done).toBe(false);
  await expect(shards.next()).rejects.toThrow('aborted');
  expect(batches).toBe(6);
});
