import { cp, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createVectorIndex, openVectorIndex } from './open.js';
import { clusteredVectors } from './vectors.fixture.js';
import { openVectorIndexInWorker } from './worker-index.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-folder-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe.each([
  ['flat', 'vectors.bin'],
  ['hnsw', 'graph.usearch'],
] as const)('a damaged %s index', (type, file) => {
  let good: string;
  beforeAll(async () => {
    good = join(folder, type);
    const builder = createVectorIndex({ type, dimension: 6 });
    await builder.add(clusteredVectors({ count: 90, dimension: 6, clusters: 4, seed: 1, part: 'vectors' }));
    await (await builder.finish()).save(good);
  });

  async function damaged(name: string, damage: (folder: string) => Promise<void>): Promise<string> {
    const path = join(folder, `${type}-${name}`);
    await cp(good, path, { recursive: true });
    await damage(path);
    return path;
  }

  test('cut off', async () => {
    const path = await damaged('cut', (copy) => truncate(join(copy, file), 100));
    for (const access of ['memory', 'disk'] as const) {
      await expect(openVectorIndex(path, { access })).rejects.toMatchObject({
        message: expect.stringMatching(new RegExp(`${file}: expected \\d+ bytes, got 100$`)),
        hint: expect.stringContaining('build it again'),
      });
    }
    await expect(openVectorIndexInWorker(path)).rejects.toMatchObject({
      message: expect.stringContaining(`${file}: expected`),
      hint: expect.stringContaining('build it again'),
    });
  });

  test('one byte changed', async () => {
    const path = await damaged('byte', async (copy) => {
      const bytes = await readFile(join(copy, file));
      bytes[bytes.length >> 1] ^= 1;
      await writeFile(join(copy, file), bytes);
    });
    await expect(openVectorIndex(path)).rejects.toThrow(
      `${file}: the file is damaged: its checksum is wrong`,
    );
  });

  test('a file missing', async () => {
    const path = await damaged('missing', (copy) => rm(join(copy, file)));
    await expect(openVectorIndex(path)).rejects.toThrow(`${file}: no such file`);
  });

  test('a description of something else', async () => {
    const path = await damaged('meta', async (copy) => {
      const meta = JSON.parse(await readFile(join(copy, 'meta.json'), 'utf8'));
      await writeFile(join(copy, 'meta.json'), JSON.stringify({ ...meta, version: 99 }));
    });
    await expect(openVectorIndex(path)).rejects.toThrow('meta.json: field "version"');
  });

  test('no index at all', async () => {
    await expect(openVectorIndex(join(folder, 'nowhere'))).rejects.toThrow('meta.json: no such file');
  });
});
