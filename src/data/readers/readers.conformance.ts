import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NearmissError } from '../../base/errors.js';
import type { Dataset, Document, Query } from '../dataset.js';
import { type OpenOptions, openDataset } from '../open.js';
import { DOCUMENTS, EXAMPLES, QUERIES, type ReaderCase } from './readers.fixture.js';

/** What every reader must do, whatever the format. */
export function readerConformance(reader: ReaderCase): void {
  describe(reader.name, () => {
    let folder: string;
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'nearmiss-reader-'));
    });
    afterEach(() => rm(folder, { recursive: true }));

    const { holds, split } = reader;

    test('gives the whole collection, as often as asked', async () => {
      const dataset = await openCase(folder, reader);
      for (let round = 0; round < 2; round++) await expectCollection(dataset, reader);
    });

    test('reads gzip, carriage returns and byte order marks alike', async () => {
      await expectCollection(await openCase(folder, reader, { gzip: true }), reader);
    });

    test('reads CRLF files with a byte order mark alike', async () => {
      const change = (content: string): string => `\ufeff${content.replaceAll('\n', '\r\n')}`;
      await expectCollection(await openCase(folder, reader, { change }), reader);
    });

    test('ids are unique, and judgments and examples point to them', async () => {
      const dataset = await openCase(folder, reader);
      const documents = (await all(dataset.documents())).map(({ id }) => id);
      const queries = (await all(dataset.queries())).map(({ id }) => id);
      expect(new Set(documents).size).toBe(documents.length);
      expect(new Set(queries).size).toBe(queries.length);
      if (!holds.judgments) return;
      for (const [queryId, judged] of await dataset.qrels(split)) {
        expect(queries).toContain(queryId);
        for (const id of judged.keys()) expect(documents).toContain(id);
      }
      expect((await all(dataset.queries(split))).map(({ id }) => id)).toEqual(queries);
    });

    test('an unknown split is an error that names the known ones', async () => {
      const dataset = await openCase(folder, reader);
      await expect(dataset.qrels('nonsense')).rejects.toThrow(NearmissError);
    });

    test('a broken record is told with file and line', async () => {
      const { file, line } = reader.broken;
      const content = `${reader.files[file].trimEnd()}\n${line}\n`;
      const number = content.trimEnd().split('\n').length;

      const dataset = await openCase(folder, { ...reader, files: { ...reader.files, [file]: content } });
      await expect(readAll(dataset, split)).rejects.toThrow(
        expect.objectContaining({
          name: 'NearmissError',
          message: expect.stringMatching(`${file}:${number}: `),
        }),
      );
    });

    test('broken records can be skipped, and each is reported', async () => {
      const { file, line } = reader.broken;
      const content = `${reader.files[file].trimEnd()}\n${line}\n`;
      const reported: string[] = [];
      const dataset = await openCase(
        folder,
        { ...reader, files: { ...reader.files, [file]: content } },
        { onProblem: (problem) => reported.push(problem.file) },
      );
      await expectCollection(dataset, reader);
      expect(reported).toContain(join(folder, file));
    });

    test('reading can be broken off', async () => {
      const dataset = await openCase(folder, reader);
      for await (const { id } of dataset.documents()) {
        expect(id).not.toBe('');
        break;
      }
    });
  });
}

interface Variant {
  gzip?: boolean;
  change?: (content: string) => string;
  onProblem?: OpenOptions['onProblem'];
}

async function openCase(folder: string, reader: ReaderCase, variant: Variant = {}): Promise<Dataset> {
  const { gzip = false, change = (content) => content, onProblem } = variant;
  const place = (name: string): string => join(folder, gzip ? `${name}.gz` : name);
  for (const [name, content] of Object.entries(reader.files)) {
    await mkdir(dirname(place(name)), { recursive: true });
    await writeFile(place(name), gzip ? gzipSync(change(content)) : change(content));
  }
  const { options = {} } = reader;
  const within = (files: Record<string, string> = {}): Record<string, string> =>
    Object.fromEntries(Object.entries(files).map(([split, name]) => [split, place(name)]));
  return openDataset(reader.open ? place(reader.open) : folder, {
    ...options,
    documents: options.documents && place(options.documents),
    queries: options.queries && place(options.queries),
    qrels: within(options.qrels),
    examples: within(options.examples),
    onProblem,
  });
}

async function expectCollection(dataset: Dataset, { holds, split }: ReaderCase): Promise<void> {
  const documents = await all(dataset.documents());
  const queries = await all(dataset.queries());
  const documentText = textsById(documents);
  const queryText = textsById(queries);
  expect(sorted(documents.map(({ text }) => text))).toEqual(sorted(DOCUMENTS.map(({ text }) => text)));
  if (holds.titles) {
    expect(sorted(documents.map(({ title }) => title ?? ''))).toEqual(
      sorted(DOCUMENTS.map(({ title }) => title)),
    );
  }
  if (holds.ids) expect(sorted(documents.map(({ id }) => id))).toEqual(sorted(DOCUMENTS.map(({ id }) => id)));
  if (holds.queries)
    expect(sorted(queries.map(({ text }) => text))).toEqual(sorted(QUERIES.map(({ text }) => text)));
  if (holds.judgments) {
    const qrels = await dataset.qrels(split);
    const pairs = [...qrels].flatMap(([query, judged]) =>
      [...judged].map(([document, grade]) => [queryText.get(query), documentText.get(document), grade]),
    );
    expect(pairs).toEqual(EXAMPLES.map(({ query, positive }) => [query.text, positive.text, 1]));
  }
  if (holds.examples) await expectExamples(dataset, split, documentText, queryText);
}

async function expectExamples(
  dataset: Dataset,
  split: string,
  documentText: Map<string, string>,
  queryText: Map<string, string>,
): Promise<void> {
  expect(await dataset.exampleSplits!()).toContain(split);
  const triples = (await all(dataset.examples!(split))).flatMap(({ queryId, positives, negatives }) =>
    negatives.map(({ id }) => [
      queryText.get(queryId),
      documentText.get(positives[0].id),
      documentText.get(id),
    ]),
  );
  const expected = EXAMPLES.flatMap(({ query, positive, negatives }) =>
    negatives.map((negative) => [query.text, positive.text, negative.text]),
  );
  expect(triples).toEqual(expected);
}

async function readAll(dataset: Dataset, split: string): Promise<void> {
  await all(dataset.documents());
  await all(dataset.queries());
  if ((await dataset.splits()).includes(split)) await dataset.qrels(split);
  if ((await dataset.exampleSplits?.())?.includes(split)) await all(dataset.examples!(split));
}

async function all<T>(records: AsyncIterable<T>): Promise<T[]> {
  const gathered: T[] = [];
  for await (const record of records) gathered.push(record);
  return gathered;
}

function textsById(records: (Document | Query)[]): Map<string, string> {
  return new Map(records.map(({ id, text }) => [id, text]));
}

function sorted(texts: string[]): string[] {
  return [...texts].sort();
}
