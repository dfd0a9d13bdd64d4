import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Document } from '../../src/data/dataset.js';

/** What every system is asked to do, in its own process and one thread. */
export interface BenchSystem {
  /** Indexes everything; called once. */
  index(documents: AsyncIterable<Document>): Promise<void>;
  /** The ids of the best k documents that have any of the words. */
  search(query: string, k: number): string[];
  /** Bytes on disk, where the system keeps its index there. */
  indexBytes(): number;
}

export type SystemName = 'nearmiss' | 'fts5' | 'minisearch';

type NearmissBm25 = typeof import('../../src/index/bm25/index.js');
type Text = typeof import('../../src/text/index.js');

/** Benchmarks run what users run: the compiled code. */
const dist = (path: string): string => new URL(`../../dist/${path}`, import.meta.url).href;
const requireHere = createRequire(import.meta.url);

export async function createSystem(name: SystemName, folder: string): Promise<BenchSystem> {
  if (name === 'nearmiss') return nearmiss(folder);
  return name === 'fts5' ? fts5(folder) : miniSearch();
}

async function nearmiss(folder: string): Promise<BenchSystem> {
  const bm25 = (await import(dist('index/bm25/index.js'))) as NearmissBm25;
  const path = join(folder, 'nearmiss');
  let searcher: InstanceType<NearmissBm25['Bm25Searcher']>;
  let bytes = 0;
  return {
    async index(documents) {
      const meta = await bm25.buildBm25Index(path, documents);
      bytes = Object.values(meta.files).reduce((sum, file) => sum + file.bytes, 0);
      searcher = new bm25.Bm25Searcher(await bm25.openBm25Index(path));
    },
    search: (query, k) => Array.from(searcher.search(query, k).ids, (id) => searcher.index.documentId(id)),
    indexBytes: () => bytes,
  };
}

interface SqliteStatement {
  run(...values: unknown[]): void;
  all(...values: unknown[]): string[];
  pluck(): SqliteStatement;
}

interface Sqlite {
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
}

/** SQLite's full-text search: no stored text, no journal, one transaction. */
async function fts5(folder: string): Promise<BenchSystem> {
  const Database = requireHere('better-sqlite3') as new (path: string) => Sqlite;
  const { words } = await queryWords();
  const path = join(folder, 'fts5.sqlite');
  const database = new Database(path);
  database.exec(`PRAGMA journal_mode = off; PRAGMA synchronous = off; PRAGMA cache_size = -256000;
    CREATE TABLE ids (number INTEGER PRIMARY KEY, id TEXT);
    CREATE VIRTUAL TABLE docs USING fts5(text, content = '', tokenize = 'porter unicode61');`);
  let found: SqliteStatement;
  return {
    async index(documents) {
      const addId = database.prepare('INSERT INTO ids VALUES (?, ?)');
      const addText = database.prepare('INSERT INTO docs (rowid, text) VALUES (?, ?)');
      database.exec('BEGIN');
      let number = 0;
      for await (const { id, text } of documents) {
        addId.run(++number, id);
        addText.run(number, text);
      }
      database.exec("COMMIT; INSERT INTO docs (docs) VALUES ('optimize');");
      found = database
        .prepare(
          `SELECT ids.id FROM (SELECT rowid AS number, rank FROM docs WHERE docs MATCH ? ORDER BY rank LIMIT ?) AS best
           JOIN ids ON ids.number = best.number ORDER BY best.rank`,
        )
        .pluck();
    },
    search(query, k) {
      const any = words(query).map((word) => `"${word}"`);
      return any.length === 0 ? [] : found.all(any.join(' OR '), k);
    },
    indexBytes: () => statSync(path).size,
  };
}

interface MiniSearchIndex {
  add(document: { id: string; text: string }): void;
  search(query: string, options: object): { id: string }[];
}

/** MiniSearch with the same stop words, the same stemmer (cached) and the same BM25 parameters. */
async function miniSearch(): Promise<BenchSystem> {
  const MiniSearch = requireHere('minisearch') as new (options: object) => MiniSearchIndex;
  const { englishAnalyzer } = (await import(dist('text/index.js'))) as Text;
  const terms = new Map<string, string | null>();
  const processTerm = (word: string): string | null => {
    const known = terms.get(word);
    if (known !== undefined) return known;
    const term = englishAnalyzer.term(word) ?? null;
    terms.set(word, term);
    return term;
  };
  const index = new MiniSearch({ fields: ['text'], processTerm });
  return {
    async index(documents) {
      for await (const { id, text } of documents) index.add({ id, text });
    },
    search: (query, k) =>
      index
        .search(query, { combineWith: 'OR', bm25: { k: 0.9, b: 0.4, d: 0 } })
        .slice(0, k)
        .map(({ id }) => id),
    indexBytes: () => 0,
  };
}

/** The different words of a query without stop words, unstemmed: FTS5 stems them itself and has no stop words. */
async function queryWords(): Promise<{ words(query: string): string[] }> {
  const { analyze, englishAnalyzer, unicodeAnalyzer } = (await import(dist('text/index.js'))) as Text;
  return {
    words: (query) => [
      ...new Set(analyze(unicodeAnalyzer, query).filter((word) => englishAnalyzer.term(word) !== undefined)),
    ],
  };
}
