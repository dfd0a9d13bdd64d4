import { cp, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createVectorIndex } from '../build-vectors.js';
import { openVectorIndex } from './open.js';
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
    const search = async (): Promise<unknown> => {
      const index = await openVectorIndex(path, { access: 'disk' });
      return index.search(new Float32Array(6), { k: 1 }).finally(() => index.close());
    };
    await expect(search()).rejects.toThrow(/: the (file|block at byte 0) is damaged: its checksum is wrong/);
  });

  test('a digit of its description changed', async () => {
    const path = await damaged('digit', async (copy) => {
      const text = await readFile(join(copy, 'meta.json'), 'utf8');
      await writeFile(join(copy, 'meta.json'), text.replace('"dimension": 6', '"dimension": 4'));
    });
    await expect(openVectorIndex(path)).rejects.toThrow('meta.json: the file is damaged');
  });

  test('of an earlier version, without checksums of blocks and description, opens', async () => {
    const path = await damaged('earlier', async (copy) => {
      const text = await readFile(join(copy, 'meta.json'), 'utf8');
      const { sealed: _sealed, contentSha256: _seal, ...meta } = JSON.parse(text);
      delete meta.files[file].blocks;
      await writeFile(join(copy, 'meta.json'), JSON.stringify(meta));
    });
    for (const access of ['memory', 'disk'] as const) {
      const index = await openVectorIndex(path, { access });
      expect((await index.search(new Float32Array(6).fill(1), { k: 3 })).ids).not.toContain(-1);
      await index.close();
    }
  });

  test('a file missing', async () => {
    const path = await damaged('missing', (copy) => rm(join(copy, file)));
    await expect(openVectorIndex(path)).rejects.toThrow(`${file}: no such file`);
  });

  test('a description of something else', async () => {
    const path = await damaged('meta', async (copy) => {
      const text = await readFile(join(copy, 'meta.json'), 'utf8');
      const { sealed: _sealed, contentSha256: _seal, ...meta } = JSON.parse(text);
      await writeFile(join(copy, 'meta.json'), JSON.stringify({ ...meta, version: 99 }));
    });
    await expect(openVectorIndex(path)).rejects.toThrow('meta.json: field "version"');
  });

  test('no index at all', async () => {
    await expect(openVectorIndex(join(folder, 'nowhere'))).rejects.toThrow('meta.json: no such file');
  });
});
