import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { IdTable } from '../../src/data/id-table.js';
import { type Document, documentTexts, openDataset } from '../../src/data/index.js';
import { openTokenCache } from '../../src/data/tokens/token-cache.js';
import { Random } from '../../src/engine/random.js';
import { makeRun } from '../../src/evaluate/run.js';
import { fillClusterFolder, readClusterFolder } from '../../src/examples/orders/cluster-folder.js';
import { fillPseudoFolder, readPseudoFolder } from '../../src/examples/pseudo-folder.js';
import { type FleetJobSettings, shardId } from '../../src/fleet/fleet-job.js';
import { FleetStore } from '../../src/fleet/fleet-store.js';
import {
  type GenerateCollectionOptions,
  type GenerateOutcome,
  generateCollection,
} from '../../src/generate/generate-collection.js';
import type { QueryGenerator } from '../../src/generate/query-generator.js';
import { Bm25Searcher, buildBm25Index, openBm25Index } from '../../src/index/bm25/index.js';
import { writeVectorIndex } from '../../src/index/build-vectors.js';
import { documentFiles, documentsFromIds } from '../../src/index/vectors/document-files.js';
import { openDocumentIndex } from '../../src/index/vectors/open.js';
import type { IndexType } from '../../src/index/vectors/vector-index.js';
import { writeDocumentIndex } from '../../src/index/write-documents.js';
import { stackRows } from '../../src/model/encoder/encoded-texts.js';
import { CandidateTable } from '../../src/negatives/candidates/candidate-table.js';
import { smallTable } from '../../src/negatives/negatives.fixture.js';
import { StoredDocuments } from '../../src/search/documents/stored-documents.js';
import { openLiveSearcher } from '../../src/search/live/index.js';
import { openSearcher } from '../../src/search/open/open-searcher.js';
import { JudgmentStore } from '../../src/serve/judgments/judgment-store.js';
import { fillLabelFolder, readLabelFolder, ScoreCache } from '../../src/teacher/index.js';
import { MINILM } from '../../src/text/tokenizer.fixture.js';
import { Tokenizer } from '../../src/text/tokenizer.js';

/** Something that is kept on disk, and all that can be read of it. */
export interface Subject {
  name: string;
  /** Makes it in an empty folder. */
  make(folder: string): Promise<void>;
  /** Where in the folder its files are. */
  files: string;
  /** What it gives; the same every time, unless its files change. */
  read(folder: string): Promise<unknown>;
}

const WORDS = ['apple', 'pear', 'plum', 'fig', 'quince', 'medlar', 'cherry', 'damson'];
const DIMENSION = 6;

const documents = Array.from({ length: 40 }, (_, i) => ({
  id: `d${i}`,
  text: WORDS.filter((_, word) => (i >> (word % 5)) & 1 || i % 8 === word).join(' '),
  metadata: { place: i, fruit: WORDS[i % WORDS.length] },
}));

export async function writeCorpus(folder: string): Promise<string> {
  const path = join(folder, 'corpus.jsonl');
  const lines = documents.map(({ id, ...rest }) => `${JSON.stringify({ _id: id, ...rest })}\n`);
  await mkdir(folder, { recursive: true });
  await writeFile(path, lines.join(''));
  return path;
}

const bm25: Subject = {
  name: 'bm25 index',
  files: 'index',
  make: async (folder) => {
    await buildBm25Index(join(folder, 'index'), documents, { vectors: true });
  },
  async read(folder) {
    const index = await openBm25Index(join(folder, 'index'));
    const searcher = new Bm25Searcher(index);
    return WORDS.map((word) => {
      const { ids, scores } = searcher.search(`${word} pear`, 12);
      return { ids: [...ids].map((id) => index.documentId(id)), scores: [...scores] };
    });
  },
};

function vectors(type: IndexType, access: 'memory' | 'disk'): Subject {
  const draw = (part: string, rows: number): Float32Array => {
    const random = Random.from(3, part);
    return Float32Array.from({ length: rows * DIMENSION }, () => random.normal());
  };
  return {
    name: `${type} index in ${access}`,
    files: 'index',
    async make(folder) {
      const rowIds = documents.flatMap(({ id }, i) => (i % 3 === 0 ? [id, id] : [id]));
      await writeVectorIndex(join(folder, 'index'), [draw('vectors', rowIds.length)], {
        type,
        dimension: DIMENSION,
        // Several threads build different graphs.
        threads: 1,
        extra: documentFiles(documentsFromIds(rowIds, 'rows')),
      });
    },
    async read(folder) {
      const index = await openDocumentIndex(join(folder, 'index'), { access, threads: 1 });
      try {
        const { ids, scores } = await index.search(draw('queries', 5), { k: 7 });
        return { ids: [...ids].map((id) => index.ids!.idAt(id)), scores: [...scores] };
      } finally {
        await index.close();
      }
    },
  };
}

const documentStore: Subject = {
  name: 'document store',
  files: 'cache',
  async make(folder) {
    await writeCorpus(folder);
    await this.read(folder);
  },
  async read(folder) {
    const dataset = await openDataset(join(folder, 'corpus.jsonl'));
    const store = await StoredDocuments.open(join(folder, 'cache', 'documents'), dataset);
    try {
      const metadata: unknown[] = [];
      for await (const one of store.metadata()) metadata.push(one);
      const ids = [...store.ids()];
      return { content: store.content, ids, metadata, documents: await store.getAll(ids) };
    } finally {
      await store.close();
    }
  },
};

const tokenCache: Subject = {
  name: 'token cache',
  files: 'cache',
  async make(folder) {
    await writeCorpus(folder);
    await this.read(folder);
  },
  async read(folder) {
    const cache = await openTokenCache({
      source: documentTexts(await openDataset(join(folder, 'corpus.jsonl'))),
      tokenizer: await tokenizer(),
      maxLength: 16,
      directory: join(folder, 'cache'),
      quiet: true,
    });
    try {
      const { ids, offsets } = await cache.range(0, cache.count);
      return { texts: documents.map((_, i) => cache.id(i)), ids: [...ids], offsets: [...offsets] };
    } finally {
      await cache.close();
    }
  },
};

let loaded: Promise<Tokenizer> | undefined;
function tokenizer(): Promise<Tokenizer> {
  loaded ??= Tokenizer.load(MINILM);
  return loaded;
}

const candidates: Subject = {
  name: 'candidates',
  files: 'table',
  async make(folder) {
    await (await smallTable({ 0: [5, 3, 1], 1: [], 2: [9] }, { checkpoint: 300 })).save(
      join(folder, 'table'),
    );
  },
  async read(folder) {
    const { provenance, ids, scores, ranks } = await CandidateTable.load(join(folder, 'table'));
    return { provenance, ids: [...ids], scores: [...scores], ranks: [...ranks] };
  },
};

/** A base of words, and on top a snapshot and a log with documents put, replaced and removed. */
const liveDocuments: Subject = {
  name: 'live documents',
  files: 'state',
  async make(folder) {
    await writeCorpus(folder);
    const live = await openLive(folder);
    for (let i = 0; i < 30; i++) await live.upsert([{ id: `new${i % 20}`, text: `${WORDS[i % 8]} ${i}` }]);
    await live.remove(['d3', 'new4']);
    // Writes the log anew: a snapshot.
    await live.forget(0);
    for (let i = 0; i < 6; i++) await live.upsert([{ id: `later${i}`, text: `${WORDS[i]} later` }]);
    await live.close();
  },
  async read(folder) {
    const live = await openLive(folder);
    try {
      const ids = [...live.documents.ids()].sort();
      const found = await live.retriever('bm25').search(WORDS, { k: 15 });
      return { version: live.version, documents: await live.documents.getAll(ids), found };
    } finally {
      await live.close();
    }
  },
};

function openLive(folder: string): ReturnType<typeof openLiveSearcher> {
  const searcher = openSearcher(join(folder, 'corpus.jsonl'));
  return searcher.then((base) =>
    openLiveSearcher(base, { state: join(folder, 'state'), onWarning: () => undefined }).catch(
      async (error) => {
        await base.close();
        throw error;
      },
    ),
  );
}

/** What people judged: a log of many records. */
const judgments: Subject = {
  name: 'judgments',
  files: 'judgments/here',
  async make(folder) {
    const store = await JudgmentStore.open(join(folder, this.files));
    for (let i = 0; i < 25; i++) {
      await store.judge([{ query: `${WORDS[i % 8]}?`, document: `d${i}`, grade: i % 3 }]);
    }
    await store.judge([{ query: 'apple?', document: 'd0', grade: null }]);
    await store.close();
  },
  async read(folder) {
    const store = await JudgmentStore.open(join(folder, this.files));
    try {
      return { counts: store.counts, all: [...store.all()] };
    } finally {
      await store.close();
    }
  },
};

const labels: Subject = {
  name: 'scores of teachers',
  files: 'labels',
  async make(folder) {
    const scored = (i: number) =>
      documents.slice(i, i + 5).map(({ id }, n): [string, number] => [id, 5 - n / 3]);
    const run = makeRun('teachers', Object.fromEntries(WORDS.map((word, i) => [word, scored(i)])));
    await mkdir(join(folder, 'labels'), { recursive: true });
    await fillLabelFolder(join(folder, 'labels'), run, { teachers: ['one'], dataFingerprint: 'data' });
  },
  async read(folder) {
    const { rankings } = await readLabelFolder(join(folder, 'labels'), 'data');
    return [...rankings].map(([query, { ids, scores }]) => [query, [...ids], [...scores]]);
  },
};

const clusters: Subject = {
  name: 'clusters',
  files: 'clusters',
  async make(folder) {
    await mkdir(join(folder, 'clusters'), { recursive: true });
    await fillClusterFolder(
      join(folder, 'clusters'),
      Int32Array.from(documents, (_, i) => i % 5),
    );
  },
  async read(folder) {
    return (await readClusterFolder(join(folder, 'clusters'), documents.length)).map((members) => [
      ...members,
    ]);
  },
};

/** What is lost of a teacher's scores is computed again; what is there must be right. */
const scoreCache: Subject = {
  name: 'score cache',
  files: 'scores',
  async make(folder) {
    const cache = await ScoreCache.open('model', join(folder, 'scores'));
    for (const [i, word] of WORDS.entries()) {
      cache.set(word, documents[i].text, i / 8);
      await cache.flush();
    }
  },
  async read(folder) {
    const cache = await ScoreCache.open('model', join(folder, 'scores'));
    return WORDS.map((word, i) => cache.get(word, documents[i].text) ?? i / 8);
  },
};

/** An index of several rows a document: of tokens, whole or in a few bits, or of words and their weights. */
function manyRows(kind: string, options: { scorer: 'max-sim' | 'impact'; bits?: 2 | 'exact' }): Subject {
  const isImpact = options.scorer === 'impact';
  const dimension = isImpact ? 2 : 16;
  const texts = (count: number, part: string): Float32Array[] => {
    const random = Random.from(5, part);
    return Array.from({ length: count }, (_, i) =>
      Float32Array.from({ length: (1 + (i % 5)) * dimension }, (_, at) => {
        if (!isImpact) return random.normal();
        return at % 2 === 0 ? random.integer(12) : random.integer(100) / 100;
      }),
    );
  };
  return {
    name: kind,
    files: 'index',
    async make(folder) {
      const { vectors: rows, offsets } = stackRows(texts(documents.length, 'documents'), dimension);
      const ids = new IdTable();
      for (const { id } of documents) ids.add(id);
      await writeDocumentIndex(
        join(folder, 'index'),
        {
          ids,
          offsets,
          async *blocks() {
            yield rows;
          },
        },
        { dimension, session: { threads: 1 }, ...options },
      );
    },
    async read(folder) {
      const index = await openDocumentIndex(join(folder, 'index'), { threads: 1 });
      try {
        const queries = stackRows(texts(4, 'queries'), dimension);
        const found = await index.search(queries.vectors, { k: 7, queryOffsets: queries.offsets });
        return {
          ids: [...found.ids].map((id) => (id < 0 ? '' : index.ids!.idAt(id))),
          scores: [...found.scores],
        };
      } finally {
        await index.close();
      }
    },
  };
}

/** Queries that a generator was writing when it was killed: what is there must be right, and then it is finished. */
const generated: Subject = {
  name: 'generated queries',
  files: 'made',
  async make(folder) {
    const killed = new AbortController();
    await generate(folder, {
      signal: killed.signal,
      onPassages: (done) => void (done >= 24 && killed.abort()),
    });
  },
  async read(folder) {
    await generate(folder);
    return readFile(join(folder, 'made', 'queries.jsonl'), 'utf8');
  },
};

function generate(
  folder: string,
  options: Partial<GenerateCollectionOptions> = {},
): Promise<GenerateOutcome> {
  const dataset = { documents: () => Readable.from(documents) as AsyncIterable<Document> };
  const generator: QueryGenerator = {
    name: 'words',
    fingerprint: 'words',
    atOnce: 8,
    spent: { tokens: 0, read: 0, retries: 0 },
    generate: async (passages) =>
      passages.map(({ text }) => text.split(' ').map((word) => `where is ${word}`)),
    close: async () => undefined,
  };
  return generateCollection(dataset, generator, { out: join(folder, 'made', 'queries.jsonl'), ...options });
}

const pseudoLabels: Subject = {
  name: 'pseudo-labels',
  files: 'pseudo',
  async make(folder) {
    const examples = documents.map((_, i) => ({ query: i, positive: (i * 7) % 40, negatives: [i, i + 1] }));
    await mkdir(join(folder, 'pseudo'), { recursive: true });
    await fillPseudoFolder(join(folder, 'pseudo'), { asked: 50, dataFingerprint: 'data', examples });
  },
  read: (folder) => readPseudoFolder(join(folder, 'pseudo'), 'data'),
};

/** A shard of texts for workers, and one that they have encoded; what is lost of that is encoded again. */
const fleetStore: Subject = {
  name: 'fleet store',
  files: 'store',
  async make(folder) {
    const store = await FleetStore.open(join(folder, 'store'));
    await store.addInput(SHARD, SHARD_INPUT);
    await store.addResult(SHARD, SHARD_RESULT);
  },
  async read(folder) {
    const store = await FleetStore.open(join(folder, 'store'));
    const result = (await store.result(SHARD)) ?? SHARD_RESULT;
    return { input: Buffer.from(await store.input(SHARD)).toString(), result: [...result] };
  },
};

const SHARD_INPUT = Buffer.from(JSON.stringify({ strings: documents.slice(0, 9).map(({ text }) => text) }));
const SHARD_SETTINGS: FleetJobSettings = {
  task: 'encode',
  model: 'm',
  expects: { weights: '1'.repeat(64), tokenizer: '2'.repeat(64), dimension: 4 },
  settings: { use: 'document', precision: 'fp32' },
};
const SHARD = { ...SHARD_SETTINGS, items: 9, id: shardId(SHARD_SETTINGS, 9, SHARD_INPUT) };
const SHARD_RESULT = Uint8Array.from({ length: 300 }, (_, i) => (i * 7) % 251);

export const SUBJECTS: readonly Subject[] = [
  manyRows('exact token index', { scorer: 'max-sim', bits: 'exact' }),
  manyRows('token index in 2 bits', { scorer: 'max-sim', bits: 2 }),
  manyRows('impact index', { scorer: 'impact' }),
  generated,
  pseudoLabels,
  fleetStore,
  vectors('int8', 'memory'),
  vectors('int8', 'disk'),
  vectors('binary', 'disk'),
  judgments,
  labels,
  clusters,
  scoreCache,
  liveDocuments,
  bm25,
  vectors('flat', 'memory'),
  vectors('flat', 'disk'),
  vectors('hnsw', 'memory'),
  vectors('hnsw', 'disk'),
  documentStore,
  tokenCache,
  candidates,
];
