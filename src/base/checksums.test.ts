import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  DamagedFileError,
  type DescribedFiles,
  describeFiles,
  verifyFiles,
  verifySizes,
} from './checksums.js';

const OPTIONS = { what: 'the test', remedy: 'write it again' };

async function twoFiles(): Promise<{ folder: string; described: DescribedFiles }> {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-checksums-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'a.bin'), Buffer.alloc(3_000_000, 7));
  await writeFile(join(folder, 'b.txt'), '');
  return { folder, described: await describeFiles(folder, ['a.bin', 'b.txt']) };
}

test('files that are as they were pass', async () => {
  const { folder, described } = await twoFiles();
  expect(described['b.txt']).toEqual({
    bytes: 0,
    sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  });
  await verifyFiles(folder, described, OPTIONS);
});

test('one that is altered, cut off, longer or missing is named', async () => {
  const { folder, described } = await twoFiles();
  const path = join(folder, 'a.bin');
  const content = await readFile(path);
  content[2_000_000] ^= 4;
  await writeFile(path, content);
  await verifySizes(folder, described, OPTIONS);
  const altered = verifyFiles(folder, described, OPTIONS);
  await expect(altered).rejects.toBeInstanceOf(DamagedFileError);
  await expect(altered).rejects.toMatchObject({
    path,
    message: `${path}: the test is damaged: its content is not what was written`,
    hint: 'write it again',
  });
  await truncate(path, 5);
  await expect(verifyFiles(folder, described, OPTIONS)).rejects.toThrow('expected 3000000 bytes, got 5');
  await writeFile(path, Buffer.alloc(3_000_000, 7));
  await writeFile(join(folder, 'b.txt'), 'x');
  await expect(verifySizes(folder, described, OPTIONS)).rejects.toThrow(
    'b.txt: the test is damaged: expected 0',
  );
  await rm(join(folder, 'b.txt'));
  await expect(verifyFiles(folder, described, OPTIONS)).rejects.toThrow(
    'b.txt: the test is damaged: no such file',
  );
});
