import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { detach, readLineBatches, readLines } from './lines.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-lines-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function linesOf(content: string | Uint8Array, name = 'lines.txt'): Promise<string[]> {
  const path = join(folder, name);
  await writeFile(path, content);
  const lines: string[] = [];
  for await (const { text, number } of readLines(path)) {
    lines.push(text);
    expect(number).toBe(lines.length);
  }
  return lines;
}

test('splits at line feeds, strips carriage returns and a byte order mark', async () => {
  expect(await linesOf('')).toEqual([]);
  expect(await linesOf('a')).toEqual(['a']);
  expect(await linesOf('a\n')).toEqual(['a']);
  expect(await linesOf('\ufeffa\r\n\r\nb\rc\r\n')).toEqual(['a', '', 'b\rc']);
  expect(await linesOf('a\n\n')).toEqual(['a', '']);
});

test('without any line feed, carriage returns end the lines', async () => {
  expect(await linesOf('\ufeffa\rb\r\rc')).toEqual(['a', 'b', '', 'c']);
  expect(await linesOf('a\rb\r')).toEqual(['a', 'b']);
  expect(await linesOf('a\r')).toEqual(['a']);
  expect(await linesOf('\r\r')).toEqual(['', '']);
});

test('lines of any length survive the borders of chunks, plain and gzip', async () => {
  const line = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc
      .tuple(fc.constantFrom('ä', '中', '🙂', 'x'), fc.integer({ min: 1, max: 400_000 }))
      .map(([s, n]) => s.repeat(n)),
  );
  const cleanLine = line.map((text) => text.replace(/[\r\n\ufeff]/g, ' '));
  await fc.assert(
    fc.asyncProperty(
      fc.array(cleanLine, { minLength: 1, maxLength: 12 }),
      fc.boolean(),
      async (lines, zip) => {
        const text = lines.map((each) => `${each}\n`).join('');
        expect(await linesOf(zip ? gzipSync(text) : text, zip ? 'lines.gz' : 'lines.txt')).toEqual(lines);
      },
    ),
    { numRuns: 30, seed: 1 },
  );
});

test('broken UTF-8 is told with file and line, or reported and replaced', async () => {
  const path = join(folder, 'broken.txt');
  await writeFile(
    path,
    Buffer.concat([Buffer.from('fine\nb'), Buffer.from([0xff]), Buffer.from('d\nfine\n')]),
  );
  await expect(linesOf(Buffer.from([0x61, 0x0a, 0xc3, 0x28]), 'x.txt')).rejects.toThrow(
    /x\.txt:2: not valid UTF-8/,
  );
  const reported: number[] = [];
  const lines: string[] = [];
  for await (const batch of readLineBatches(path, { onBrokenUtf8: ({ line }) => reported.push(line) })) {
    lines.push(...batch.lines);
  }
  expect(reported).toEqual([2]);
  expect(lines).toEqual(['fine', 'b\ufffdd', 'fine']);
});

test('a lone broken byte is told', async () => {
  await expect(linesOf(Buffer.from([0xff]))).rejects.toThrow(/:1: not valid UTF-8/);
});

test('UTF-16 with its mark is read as what it says, in either order of bytes', async () => {
  const text = `\ufeffGröße\r\n船 ⛵ 🛶\r\n${'long '.repeat(200_000)}\r\n`;
  const [little, big] = [Buffer.from(text, 'utf16le'), Buffer.from(text, 'utf16le').swap16()];
  const expected = text.slice(1, -2).split('\r\n');
  expect(await linesOf(little)).toEqual(expected);
  expect(await linesOf(big)).toEqual(expected);
  expect(await linesOf(gzipSync(little))).toEqual(expected);
});

test('missing files, folders, cut-off gzip and endless lines are errors for people', async () => {
  const read = async (path: string, maxLineBytes?: number): Promise<void> => {
    for await (const _ of readLineBatches(path, { maxLineBytes }));
  };
  await expect(read(join(folder, 'nowhere'))).rejects.toThrow(/nowhere: no such file/);
  await expect(read(folder)).rejects.toThrow(/expected a file, got a folder/);
  const cut = join(folder, 'cut.gz');
  await writeFile(cut, gzipSync('a long text '.repeat(1000)).subarray(0, 40));
  await expect(read(cut)).rejects.toThrow(/broken gzip data/);
  const long = join(folder, 'long.txt');
  await writeFile(long, 'x'.repeat(3 * 2 ** 20));
  await expect(read(long, 2 ** 20)).rejects.toThrow(/long\.txt:1: line longer than 1 MiB/);
});

test.skipIf(!existsSync('/proc/self/fd'))('breaking off closes the file, plain and gzip', async () => {
  const text = 'line\n'.repeat(200_000);
  const paths = [join(folder, 'many.txt'), join(folder, 'many.gz')];
  await writeFile(paths[0], text);
  await writeFile(paths[1], gzipSync(text));
  const before = readdirSync('/proc/self/fd').length;
  for (let round = 0; round < 20; round++) {
    for (const path of paths) for await (const { number } of readLines(path)) if (number === 3) break;
  }
  await expect.poll(() => readdirSync('/proc/self/fd').length).toBeLessThan(before + 10);
});

test('a copy equals its slice', () => {
  const text = 'a slice of 中文 \ud800'.slice(2);
  expect(detach(text)).toBe(text);
});
