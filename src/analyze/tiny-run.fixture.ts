import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunDirectory } from '../run/run-directory.js';
import { bothRoles, startRun } from '../train/run.fixture.js';
import { writeSynonyms } from '../train/synonyms.fixture.js';

/** A collection of 196 documents in `folder/data`. */
export async function writeTinyData(folder: string): Promise<void> {
  await writeSynonyms(join(folder, 'data'), { words: 14, seed: 3 });
}

/** Begins a run of the recipe `tiny` on the collection in the same folder, without taking a step. */
export async function startTinyRun(folder: string, name: string, set: string[] = []): Promise<RunDirectory> {
  return startRun(folder, name, { set });
}

/** The same, trained to its end: a warm-up of 10 steps, and ANCE with a refresh every 10. */
export async function trainTinyRun(folder: string, name: string, set: string[] = []): Promise<RunDirectory> {
  const run = await startTinyRun(folder, name, set);
  await bothRoles(run);
  return run;
}

/**
 * Makes the collection one that words alone can search: some queries have a word of their document, and the documents
 * that share it are what BM25 confuses it with.
 */
export async function shareWords(folder: string): Promise<void> {
  const lines = async (name: string): Promise<Record<string, string>[]> =>
    (await readFile(join(folder, 'data', name), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  const texts = (await lines('corpus.jsonl')).map(({ text }) => text.split(' '));
  const queries = (await lines('queries.jsonl')).map((query, i) =>
    JSON.stringify({ ...query, text: `${texts[i][i % 2]} ${query.text}` }),
  );
  await writeFile(join(folder, 'data', 'queries.jsonl'), `${queries.join('\n')}\n`);
}
