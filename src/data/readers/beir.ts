import { readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { hasCode } from '../../base/errors.js';
import { qrelsSource } from '../qrels.js';
import type { Sources } from '../sources.js';
import { jsonlDocuments, jsonlQueries } from './jsonl.js';
import { tevatronExamples } from './tevatron.js';

/**
 * A BEIR folder, the house format: `corpus.jsonl`, `queries.jsonl`, `qrels/<split>.tsv`, and for training
 * examples `examples/<split>.jsonl` (Tevatron's id form); each plain or `.gz`.
 */
export async function beirSources(folder: string): Promise<Sources> {
  const names = await readdir(folder);
  const [qrels, examples] = await Promise.all([
    splitFiles(join(folder, 'qrels'), /^(.+)\.tsv(?:\.gz)?$/),
    splitFiles(join(folder, 'examples'), /^(.+)\.jsonl(?:\.gz)?$/),
  ]);
  return {
    name: basename(resolve(folder)),
    format: 'beir',
    documents: present(names, 'corpus.jsonl').map((name) => jsonlDocuments(join(folder, name))),
    queries: present(names, 'queries.jsonl').map((name) => jsonlQueries(join(folder, name))),
    qrels: new Map(qrels.map(([split, file]) => [split, qrelsSource(file)])),
    examples: new Map(
      examples.map(([split, file]) => [split, tevatronExamples(file, { documents: false, queries: false })]),
    ),
  };
}

/** Whether a folder with these files is a BEIR folder. */
export function isBeir(names: string[]): boolean {
  return present(names, 'corpus.jsonl').length > 0;
}

function present(names: string[], name: string): string[] {
  return [name, `${name}.gz`].filter((candidate) => names.includes(candidate)).slice(0, 1);
}

const SPLIT_ORDER = ['train', 'dev', 'test'];

/** The splits of a folder: train, dev and test first, then the others by name. */
async function splitFiles(folder: string, pattern: RegExp): Promise<[split: string, file: string][]> {
  const names = await readdir(folder).catch((error) => {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  });
  const found = new Map<string, string>();
  for (const name of names.sort()) {
    const split = pattern.exec(name)?.[1];
    if (split && !name.startsWith('.') && !found.has(split)) found.set(split, join(folder, name));
  }
  const rank = (split: string): number =>
    (SPLIT_ORDER.indexOf(split) + SPLIT_ORDER.length + 1) % (SPLIT_ORDER.length + 1);
  return [...found].sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1));
}
