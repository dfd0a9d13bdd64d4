import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shareWords, trainTinyRun, writeTinyData } from '../analyze/tiny-run.fixture.js';
import { gather } from '../data/data.fixture.js';
import { type Document, openDataset, type Query } from '../data/index.js';
import { createCrossEncoder, saveCrossEncoder } from '../model/cross-encoder/cross-encoder-model.js';
import { loadEncoderModel } from '../model/index.js';

/** A trained run of 196 documents with metadata, and a cross-encoder on its model. */
export interface SearchFixture {
  folder: string;
  data: string;
  run: string;
  reranker: string;
  documents: Document[];
  /** Of the split `dev`. */
  queries: Query[];
  remove(): Promise<void>;
}

/** Some queries have a word of their document, so that words and vectors both find something. */
export async function makeSearchFixture(): Promise<SearchFixture> {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-search-'));
  const data = join(folder, 'data');
  await writeTinyData(folder);
  await shareWords(folder);
  await addMetadata(join(data, 'corpus.jsonl'));
  const run = await trainTinyRun(folder, 'run');
  const reranker = join(folder, 'reranker');
  const model = await loadEncoderModel(run.file('best'));
  await saveCrossEncoder(reranker, createCrossEncoder(model, { seed: 5 }));
  const dataset = await openDataset(data);
  const dev = await dataset.qrels('dev');
  const { documents, queries } = await gather(dataset);
  return {
    folder,
    data,
    run: run.path,
    reranker,
    documents,
    queries: queries.filter(({ id }) => dev.has(id)),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Document d3-7 gets noun 3, adjective 7, and whether their sum is even; each seventh has no metadata. */
async function addMetadata(path: string): Promise<void> {
  const lines = (await readFile(path, 'utf8')).trim().split('\n');
  const changed = lines.map((line, i) => {
    const document = JSON.parse(line);
    const [noun, adjective] = document._id.slice(1).split('-').map(Number);
    const metadata = { noun, adjective, even: (noun + adjective) % 2 === 0, tags: [`n${noun}`, 'all'] };
    return JSON.stringify(i % 7 === 6 ? document : { ...document, metadata });
  });
  await writeFile(path, `${changed.join('\n')}\n`);
}
