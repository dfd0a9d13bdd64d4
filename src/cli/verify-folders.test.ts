import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDataset } from '../data/index.js';
import { documentTexts, openTokenCache } from '../data/tokens/token-cache.js';
import { openSearcher } from '../search/index.js';
import { openLiveSearcher } from '../search/live/index.js';
import { temporaryFolder, writeCollection } from '../search/live/live.fixture.js';
import { MINILM } from '../text/tokenizer.fixture.js';
import { Tokenizer } from '../text/tokenizer.js';
import { type VerifiedFolder, verifyFolders } from './verify-folders.js';

async function verify(folder: string): Promise<VerifiedFolder[]> {
  const found: VerifiedFolder[] = [];
  for await (const one of verifyFolders(folder)) found.push(one);
  return found;
}

test('every file with a checksum is compared, and the one that was altered is named', async () => {
  const folder = await temporaryFolder();
  const data = join(folder, 'data');
  await writeCollection(data, [
    { id: 'd1', text: 'apple', metadata: { n: 1 } },
    { id: 'd2', text: 'pear' },
  ]);
  const live = await openLiveSearcher(await openSearcher(data), { state: join(data, '.nearmiss', 'state') });
  await live.upsert([{ id: 'd3', text: 'plum' }]);
  await live.close();
  const source = documentTexts(await openDataset(data));
  const tokenizer = await Tokenizer.load(MINILM);
  const tokens = { source, tokenizer, maxLength: 8, directory: join(folder, 'cache'), quiet: true };
  await (await openTokenCache(tokens)).close();
  const whole = await verify(folder);
  expect(whole.map(({ holds }) => holds).sort()).toEqual([
    'live documents',
    'nearmiss-bm25',
    'nearmiss-documents',
    'nearmiss-tokens-1',
  ]);
  expect(whole.every(({ problem }) => problem === undefined)).toBe(true);
  for (const { folder: one } of whole) {
    for (const name of await readdir(one)) {
      if (name === 'mark.json' || name.endsWith('.lock')) continue;
      const path = join(one, name);
      const content = await readFile(path);
      if (content.length === 0) continue;
      const altered = Buffer.from(content);
      altered[altered.length >> 1] ^= 2;
      await writeFile(path, altered);
      const damaged = (await verify(folder)).filter(({ problem }) => problem !== undefined);
      expect(damaged).toMatchObject([{ folder: one, problem: expect.stringContaining(name) }]);
      await writeFile(path, content);
    }
  }
  await expect(verify(join(folder, 'nowhere'))).rejects.toThrow('nowhere: cannot be read');
});
