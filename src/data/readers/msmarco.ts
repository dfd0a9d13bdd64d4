import { readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { qrelsSource } from '../qrels.js';
import { type ExampleSource, nonEmpty, type Sources } from '../sources.js';
import { colbertExamples } from './colbert.js';
import { msmarcoDocuments, msmarcoPassages, msmarcoQueries, msmarcoTripleIds } from './msmarco-files.js';

const PASSAGES = /^collection\.tsv(\.gz)?$/;
const DOCUMENTS = /^(msmarco-)?docs\.tsv(\.gz)?$/;
const QUERIES = /^(queries\..+|msmarco-.+-queries)\.tsv(\.gz)?$/;
/** `qrels.dev.small.tsv`, `msmarco-doctrain-qrels.tsv.gz`, `2019qrels-pass.txt`. */
const QRELS = [
  /^qrels\.(?<split>.+)\.tsv(\.gz)?$/,
  /^msmarco-(?:doc)?(?<split>.+)-qrels\.tsv(\.gz)?$/,
  /^(?<split>\d{4})qrels-(?:pass|docs)\.txt(\.gz)?$/,
];
const TRIPLE_IDS = /^qidpidtriples\.(?<split>[^.]+)\..*tsv(\.gz)?$/;
/** ColBERT's, beside the files of MS MARCO. */
const COLBERT_TRIPLES = /^triples\.(?<split>[^.]+)(\..*)?\.jsonl(\.gz)?$/;
const IGNORED = /^(triples\.|top1000|msmarco-.+-top100|.+\.bm25)/;

/** A folder with MS MARCO's own files, of the passage or of the document task. */
export async function msmarcoSources(folder: string): Promise<Sources> {
  const names = (await readdir(folder)).sort();
  const matching = (pattern: RegExp): string[] =>
    names.filter((name) => pattern.test(name)).map((name) => join(folder, name));
  const triples = new Map<string, { name: string; source: ExampleSource }>();
  for (const name of names) {
    const ids = TRIPLE_IDS.exec(name)?.groups?.split;
    const lists = COLBERT_TRIPLES.exec(name)?.groups?.split;
    const split = ids ?? lists;
    if (split === undefined || triples.has(split)) continue;
    const file = join(folder, name);
    triples.set(split, { name, source: ids ? msmarcoTripleIds(file) : colbertExamples(file) });
  }
  const used = [...triples.values()].map(({ name }) => name);
  return {
    name: basename(resolve(folder)),
    format: 'msmarco',
    documents: [...matching(PASSAGES).map(msmarcoPassages), ...matching(DOCUMENTS).map(msmarcoDocuments)].map(
      (source) => nonEmpty(source, 'documents'),
    ),
    queries: matching(QUERIES).map(msmarcoQueries),
    qrels: new Map(
      names.flatMap((name) => {
        const split = qrelsSplit(name);
        return split === undefined ? [] : [[split, qrelsSource(join(folder, name))]];
      }),
    ),
    examples: new Map([...triples].map(([split, { source }]) => [split, source])),
    ignored: names.filter((name) => (IGNORED.test(name) || TRIPLE_IDS.test(name)) && !used.includes(name)),
  };
}

/** Whether a folder with these files is MS MARCO's. */
export function isMsmarco(names: string[]): boolean {
  return names.some((name) => PASSAGES.test(name) || DOCUMENTS.test(name));
}

function qrelsSplit(name: string): string | undefined {
  for (const pattern of QRELS) {
    const match = pattern.exec(name);
    if (match) return match.groups!.split;
  }
  return undefined;
}
