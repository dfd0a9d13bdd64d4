import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NearmissError } from '../base/errors.js';
import { FILE_FORMAT_SUMMARIES, type FileFormatName } from './format-names.js';
import { type OpenOptions, openDataset } from './open.js';
import { readQrels } from './qrels.js';
import { READER_CASES } from './readers/readers.fixture.js';
import { validateDataset } from './validate.js';
import { writeBeir } from './writers/beir.js';

// Whatever the bytes: records or a NearmissError, never another exception, never a hang (the test's time limit).

const NUM_RUNS = 40;
let folder: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-fuzz-'));
  file = join(folder, 'input');
});
afterAll(() => rm(folder, { recursive: true }));

/** Every fixture's files, as seeds that are nearly right. */
const SEEDS = READER_CASES.flatMap(({ files }) => Object.values(files)).map((text) => Buffer.from(text));

const mutation = fc.record({
  seed: fc.constantFrom(...SEEDS),
  edits: fc.array(
    fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      remove: fc.integer({ min: 0, max: 12 }),
      insert: fc.oneof(
        fc.uint8Array({ maxLength: 4 }),
        fc
          .constantFrom(
            '"',
            '\\',
            '{',
            '}',
            '[',
            ']',
            ',',
            '\n',
            '\r',
            '\t',
            'null',
            '7',
            '[]',
            '{}',
            '<top>',
            '\u0000',
          )
          .map((text) => new Uint8Array(Buffer.from(text))),
      ),
    }),
    { minLength: 1, maxLength: 6 },
  ),
});

const mutated = mutation.map(({ seed, edits }) => {
  let bytes: Buffer = seed;
  for (const { at, remove, insert } of edits) {
    const place = Math.floor(at * bytes.length);
    bytes = Buffer.concat([bytes.subarray(0, place), insert, bytes.subarray(place + remove)]);
  }
  return new Uint8Array(bytes);
});

const brokenGzip = fc
  .tuple(fc.constantFrom(...SEEDS), fc.nat(200), fc.nat(255))
  .map(([seed, place, byte]) => {
    const bytes = new Uint8Array(gzipSync(seed));
    bytes[2 + (place % (bytes.length - 2))] = byte;
    return bytes;
  });

const input = fc.oneof(
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }) },
  { weight: 4, arbitrary: mutated },
  { weight: 1, arbitrary: brokenGzip },
);

async function consume(options: OpenOptions): Promise<void> {
  const dataset = await openDataset(file, options);
  for await (const { id, text } of dataset.documents())
    expect([typeof id, typeof text]).toEqual(['string', 'string']);
  for await (const { id, text } of dataset.queries())
    expect([typeof id, typeof text]).toEqual(['string', 'string']);
  for (const split of await dataset.splits()) await dataset.qrels(split);
  for (const split of (await dataset.exampleSplits?.()) ?? [])
    for await (const _ of dataset.examples!(split));
}

async function survives(bytes: Uint8Array, work: () => Promise<unknown>): Promise<void> {
  await writeFile(file, bytes);
  try {
    await work();
  } catch (error) {
    if (!(error instanceof NearmissError)) throw error;
    expect(error.message).toContain(basename(file));
  }
}

describe('any bytes give records or a NearmissError', () => {
  const formats = [undefined, ...(Object.keys(FILE_FORMAT_SUMMARIES) as FileFormatName[])];
  test.each(formats.map((format) => [format ?? 'auto', format] as const))('%s', async (_, format) => {
    await fc.assert(
      fc.asyncProperty(input, (bytes) => survives(bytes, () => consume({ format }))),
      { numRuns: NUM_RUNS, seed: 7 },
    );
  });

  test('qrels', async () => {
    await fc.assert(
      fc.asyncProperty(input, (bytes) => survives(bytes, () => readQrels(file))),
      { numRuns: NUM_RUNS, seed: 8 },
    );
  });

  test('trec topics as queries', async () => {
    await fc.assert(
      fc.asyncProperty(mutated, (bytes) => survives(bytes, () => consume({ format: 'trec-topics' }))),
      { numRuns: 2 * NUM_RUNS, seed: 9 },
    );
  });
});

/** Nothing but what separates records, and whole records with other line ends. */
const barren = fc.constantFrom(
  '',
  '\n\n',
  '\r\r\r',
  '\t\n',
  'id,text\n',
  'id\ttext\n',
  '[]',
  '<html></html>',
);
const returns = fc.constantFrom(...SEEDS).map((seed) => seed.toString().replaceAll('\n', '\r'));
const imported = fc.oneof(
  { weight: 3, arbitrary: input },
  { weight: 1, arbitrary: fc.oneof(barren, returns).map((text) => new Uint8Array(Buffer.from(text))) },
);

describe('validation reports instead of throwing, and never says fine where an import fails', () => {
  const formats = [undefined, ...(Object.keys(FILE_FORMAT_SUMMARIES) as FileFormatName[])];
  test.each(formats.map((format) => [format ?? 'auto', format] as const))('%s', async (_, format) => {
    await fc.assert(
      fc.asyncProperty(imported, async (bytes) => {
        await writeFile(file, bytes);
        const options = { format };
        const work = async (): Promise<unknown> =>
          writeBeir(await openDataset(file, options), join(folder, 'out'), { overwrite: true });
        const failure = await work().catch((error: unknown) => error as Error);
        const report = await validateDataset(file, options).catch((error) => {
          expect(error).toBeInstanceOf(NearmissError);
          return undefined;
        });
        if (failure instanceof Error && report)
          expect([failure.message, report.errors]).not.toEqual([failure.message, 0]);
      }),
      { numRuns: 2 * NUM_RUNS, seed: 10 },
    );
  });
});
