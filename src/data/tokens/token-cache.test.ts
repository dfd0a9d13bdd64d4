import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { PARTIAL_PREFIX } from '../../base/partial-path.js';
import { batchCount, type TokenBatch, tokensAt } from '../../text/token-batch.js';
import { MINILM, withFolder } from '../../text/tokenizer.fixture.js';
import { Tokenizer } from '../../text/tokenizer.js';
import { openDataset } from '../open.js';
import {
  documentTexts,
  fingerprintTexts,
  openTokenCache,
  queryTexts,
  type TextSource,
} from './token-cache.js';
import { CACHE_FILES } from './token-cache-files.js';
import { TokenCache } from './token-cache-reader.js';
import type { TextRecord } from './token-cache-writer.js';

let minilm: Tokenizer;
beforeAll(async () => {
  minilm = await Tokenizer.load(MINILM);
});

/** A source that counts how often it is read. */
function sourceOf(records: TextRecord[], composition = 'text'): TextSource & { reads: number } {
  return {
    composition,
    reads: 0,
    async *records() {
      this.reads++;
      yield* records;
    },
  };
}

const numbered = (texts: string[]): TextRecord[] => texts.map((text, i) => ({ id: `d${i}`, text }));
const words = (count: number): string => 'miss '.repeat(count);
const manyRecords = numbered(Array.from({ length: 1000 }, (_, i) => `near miss ${i} ${words(i % 50)}`));

async function open(
  directory: string,
  source: TextSource,
  more: { maxLength?: number; cacheBytes?: number } = {},
) {
  return openTokenCache({ source, tokenizer: minilm, maxLength: 32, directory, quiet: true, ...more });
}

describe('a token cache', () => {
  test('gives back the tokens of every text, whatever the texts, the length and the memory', async () => {
    const records = fc.uniqueArray(
      fc.record({
        id: fc.string({ minLength: 1, unit: 'binary' }),
        text: fc.oneof(fc.string(), fc.nat({ max: 300 }).map(words)),
      }),
      { selector: ({ id }) => id, maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(
        records,
        fc.integer({ min: 2, max: 200 }),
        fc.constantFrom(1, 1 << 20),
        async (all, maxLength, cacheBytes) => {
          await withFolder(async (folder) => {
            const cache = await open(folder, sourceOf(all), { maxLength, cacheBytes });
            const expected = await minilm.encodeBatch(
              all.map(({ text }) => text),
              { maxLength },
            );
            expect(cache.count).toBe(all.length);
            expect(cache.tokenCount).toBe(expected.ids.length);
            expect(await cache.range(0, all.length)).toEqual(expected);
            for (const [i, { id }] of all.entries()) {
              expect(cache.id(i)).toBe(id);
              expect(cache.indexOf(id)).toBe(i);
              expect(cache.length(i)).toBe(tokensAt(expected, i).length);
              expect(await cache.tokensOf(i)).toEqual(tokensAt(expected, i));
            }
            await cache.close();
          });
        },
      ),
      { numRuns: 25 },
    );
  });

  test('reads any texts in any order across blocks, with room for one block or for all', async () => {
    await withFolder(async (folder) => {
      const all = numbered(Array.from({ length: 3000 }, (_, i) => `${i} ${words(i % 97)}`));
      const expected = await minilm.encodeBatch(
        all.map(({ text }) => text),
        { maxLength: 128 },
      );
      for (const cacheBytes of [1, 1 << 30]) {
        const cache = await open(folder, sourceOf(all), { maxLength: 128, cacheBytes });
        expect(cache.tokenCount * 2).toBeGreaterThan(4 * (1 << 16));
        await fc.assert(
          fc.asyncProperty(fc.array(fc.nat({ max: all.length - 1 }), { maxLength: 50 }), async (indexes) => {
            const batch = await cache.batch(Uint32Array.from(indexes));
            expect(batchCount(batch)).toBe(indexes.length);
            indexes.forEach((index, i) => {
              expect(tokensAt(batch, i)).toEqual(tokensAt(expected, index));
            });
          }),
          { numRuns: 30 },
        );
        const [a, b] = await Promise.all([cache.range(0, 3000), cache.range(0, 3000)]);
        expect(sameTokens(a, expected) && sameTokens(b, expected)).toBe(true);
        await cache.close();
      }
    });
  });

  test('holds ids beyond 65,535 where the vocabulary has them, else two bytes a token', async () => {
    const json = JSON.parse(await readFile(MINILM, 'utf8'));
    for (let id = 30522; id < 70000; id++) json.model.vocab[`zq${id}`] = id;
    const large = await Tokenizer.fromJson(JSON.stringify(json));
    await withFolder(async (folder) => {
      const source = sourceOf([{ id: 'a', text: 'zq69999 zq65536 miss' }]);
      const options = { source, maxLength: 9, directory: folder, quiet: true };
      const cache = await openTokenCache({ ...options, tokenizer: large });
      expect([...(await cache.tokensOf(0))]).toEqual([101, 69999, 65536, 3335, 102]);
      expect(cache.meta.tokenType).toBe('int32');
      const small = await openTokenCache({ ...options, tokenizer: minilm });
      expect(small.meta.tokenType).toBe('uint16');
      await cache.close();
      await small.close();
    });
  });

  test('is built once and found again; another text, length, composition or tokenizer is another cache', async () => {
    await withFolder(async (folder) => {
      const source = sourceOf(manyRecords);
      const first = await open(folder, source);
      expect(source.reads).toBe(2);
      const second = await open(folder, source);
      expect(source.reads).toBe(3);
      expect(second.directory).toBe(first.directory);
      const fingerprint = await fingerprintTexts(source);
      const known = await openTokenCache({
        source,
        fingerprint,
        tokenizer: minilm,
        maxLength: 32,
        directory: folder,
        quiet: true,
      });
      expect(known.directory).toBe(first.directory);
      expect(source.reads).toBe(4);
      const changed = manyRecords.with(7, { id: 'd7', text: 'changed' });
      const others = [
        await open(folder, source, { maxLength: 31 }),
        await open(folder, sourceOf(manyRecords, 'title text')),
        await open(folder, sourceOf(changed)),
      ];
      const directories = [first, ...others].map(({ directory }) => directory);
      expect(new Set(directories).size).toBe(4);
      for (const cache of [first, second, known, ...others]) await cache.close();
    });
  });

  test('an empty source is an empty cache', async () => {
    await withFolder(async (folder) => {
      const cache = await open(folder, sourceOf([]));
      expect([cache.count, cache.tokenCount, cache.indexOf('a')]).toEqual([0, 0, -1]);
      expect((await cache.range(0, 0)).ids).toHaveLength(0);
      expect(() => cache.length(0)).toThrow('no text 0 among 0');
      await expect(cache.range(0, 1)).rejects.toThrow('no texts 0 to 1 among 0');
      await cache.close();
    });
  });

  test('names the record that is wrong and leaves nothing behind', async () => {
    await withFolder(async (folder) => {
      const bad = (record: unknown) => open(folder, sourceOf([{ id: 'a', text: 'x' }, record as TextRecord]));
      await expect(bad({ id: 'a', text: 'y' })).rejects.toThrow(
        'record 2: the id "a" is that of record 1, too',
      );
      await expect(bad({ id: '', text: 'y' })).rejects.toThrow('record 2: field "id": expected a text');
      await expect(bad({ id: 'b', text: 5 })).rejects.toThrow(
        'record 2 ("b"): field "text": expected a text, got a number (5)',
      );
      const failing = sourceOf([]);
      failing.records = async function* () {
        yield { id: 'a', text: 'x' };
        throw new TypeError('the source broke');
      };
      const opened = openTokenCache({
        source: failing,
        fingerprint: 'f',
        tokenizer: minilm,
        maxLength: 9,
        directory: folder,
        quiet: true,
      });
      await expect(opened).rejects.toThrow(new TypeError('the source broke'));
      expect(await readdir(folder)).toEqual([]);
    });
  });
});

describe('damage', () => {
  const allFiles = Object.values(CACHE_FILES);

  test.each(allFiles)('a missing, cut off or altered %s is noticed and built again', async (name) => {
    await withFolder(async (folder) => {
      const source = sourceOf(manyRecords);
      const cache = await open(folder, source);
      await cache.close();
      const path = join(cache.directory, name);
      const whole = await readFile(path);
      const manyTokens = await minilm.encodeBatch(
        manyRecords.map(({ text }) => text),
        { maxLength: 32 },
      );
      const isMeta = name === CACHE_FILES.meta;
      const altered = Buffer.from(whole);
      altered[isMeta ? whole.indexOf('"tokenizer": "') + 15 : 2] ^= 1;
      for (const damage of [
        () => rm(path),
        () => truncate(path, whole.length - 2),
        () => truncate(path, 0),
      ]) {
        await damage();
        await expect(TokenCache.open(cache.directory)).rejects.toThrow('damaged token cache');
        const rebuilt = await open(folder, source);
        expect(sameTokens(await rebuilt.range(0, 1000), manyTokens)).toBe(true);
        await rebuilt.close();
        expect((await readFile(path)).equals(whole)).toBe(true);
      }
      expect(await readdir(folder)).toHaveLength(1);
      await writeFile(path, altered);
      const reading = TokenCache.open(cache.directory).then(async (opened) =>
        opened.range(0, 1).finally(() => opened.close()),
      );
      const what = name === CACHE_FILES.tokens ? 'block 0 was altered' : 'it was altered';
      await expect(reading).rejects.toThrow(
        `${path}: damaged token cache: ${isMeta ? 'the description: the file is damaged' : what}`,
      );
    });
  });

  test('a build killed in the middle leaves nothing that looks finished, and is swept up by the next', async () => {
    await withFolder(async (folder) => {
      const script = resolve(import.meta.dirname, 'token-cache-kill.fixture.ts');
      const child = spawn(process.execPath, ['--import', 'tsx', script, folder], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(child.stdout, 'data');
      child.kill('SIGKILL');
      await once(child, 'exit');
      const left = await readdir(folder);
      expect(left).toHaveLength(1);
      expect(left[0].startsWith(PARTIAL_PREFIX)).toBe(true);
      expect(await readdir(join(folder, left[0]))).not.toContain(CACHE_FILES.meta);

      const build = async () => {
        const options = { tokenizer: minilm, maxLength: 16, directory: folder, quiet: true };
        const cache = await openTokenCache({
          ...options,
          source: sourceOf(manyRecords),
          fingerprint: 'endless',
        });
        await cache.close();
        return cache;
      };
      const { directory, count } = await build();
      expect(count).toBe(1000);
      expect(left[0].startsWith(`${PARTIAL_PREFIX}${directory.slice(folder.length + 1)}`)).toBe(true);
      expect(await readdir(folder)).toEqual([directory.slice(folder.length + 1)]);
    });
  });
});

/** In a blink, where `toEqual` takes seconds for long arrays. */
function sameTokens(a: TokenBatch, b: TokenBatch): boolean {
  return (
    Buffer.from(a.ids.buffer).equals(Buffer.from(b.ids.buffer)) &&
    Buffer.from(a.offsets.buffer).equals(Buffer.from(b.offsets.buffer))
  );
}

const scifact = resolve(import.meta.dirname, '../../../../shared/data/scifact');
test.skipIf(!existsSync(scifact))('documents and queries of scifact (needs ../shared/data)', async () => {
  await withFolder(async (folder) => {
    const dataset = await openDataset(scifact);
    const documents = await open(folder, documentTexts(dataset), { maxLength: 256 });
    const queries = await open(folder, queryTexts(dataset, 'test'), { maxLength: 64 });
    expect([documents.count, queries.count]).toEqual([5183, 300]);
    expect(documents.indexOf('4983')).toBe(0);
    const { ids } = await documents.batch([0]);
    expect([ids[0], ids.at(-1)]).toEqual([101, 102]);
    await documents.close();
    await queries.close();
  });
});
