import { readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { hasCode } from '../../base/errors.js';
import { qrelsSource } from '../qrels.js';
import { nonEmpty, type Sources } from '../sources.js';
import { jsonlDocuments, jsonlQueries } from './jsonl.js';
import { tevatronExamples } from './tevatron.js';

const CORPUS = /^corpus\.jsonl(\.gz)?$/;
const QUERIES = /^(?:queries|(?<split>.+)_queries)\.jsonl(\.gz)?$/;
const QRELS = /^(?<split>.+)\.tsv(\.gz)?$/;
const EXAMPLES = /^(?<split>.+)\.jsonl(\.gz)?$/;
const FLAG_QRELS = /^(?<split>.+)_qrels\.jsonl(\.gz)?$/;

/**
 * A BEIR folder, the house format: `corpus.jsonl`, `queries.jsonl`, `qrels/<split>.tsv`, and for training
 * examples `examples/<split>.jsonl` (Tevatron's id form); each plain or `.gz`. FlagEmbedding's evaluation folders
 * (`<split>_queries.jsonl`, `<split>_qrels.jsonl`) are read, too.
 */
export async function beirSources(folder: string): Promise<Sources> {
  const names = (await readdir(folder)).sort();
  const within = (pattern: RegExp): string[] =>
    names.filter((name) => pattern.test(name)).map((name) => join(folder, name));
  const qrels = [...bySplit(names, FLAG_QRELS, folder), ...(await splitFiles(join(folder, 'qrels'), QRELS))];
  const examples = await splitFiles(join(folder, 'examples'), EXAMPLES);
  const embeds = { documents: false, queries: false };
  return {
    name: basename(resolve(folder)),
    format: 'beir',
    documents: within(CORPUS)
      .slice(0, 1)
      .map((file) => nonEmpty(jsonlDocuments(file), 'documents')),
    queries: within(QUERIES).map((file) => jsonlQueries(file)),
    qrels: new Map(qrels.map(([split, file]) => [split, qrelsSource(file)])),
    examples: new Map(examples.map(([split, file]) => [split, tevatronExamples(file, embeds)])),
  };
}

/** Whether a folder with these files is a BEIR folder, be it one whose corpus is missing. */
export function isBeir(names: string[]): boolean {
  return names.some((name) => CORPUS.test(name) || QUERIES.test(name) || name === 'qrels');
}

async function splitFiles(folder: string, pattern: RegExp): Promise<[split: string, file: string][]> {
  const names = await readdir(folder).catch((error) => {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  });
  return bySplit(names.sort(), pattern, folder);
}

const SPLIT_ORDER = ['train', 'dev', 'test'];

/** The files of the splits: train, dev and test first, then the others by name. */
function bySplit(names: string[], pattern: RegExp, folder: string): [split: string, file: string][] {
  const found = new Map<string, string>();
  for (const name of names) {
    const split = pattern.exec(name)?.groups?.split;
    if (split && !name.startsWith('.') && !found.has(split)) found.set(split, join(folder, name));
  }
  const rank = (split: string): number => {
    const place = SPLIT_ORDER.indexOf(split);
    return place < 0 ? SPLIT_ORDER.length : place;
  };
  return [...found].sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1));
}
