import { createHash } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exists, removeDirectory } from '../base/files.js';
import { ContentHash } from '../data/content-hash.js';
import type { Dataset } from '../data/index.js';
import { Random } from '../engine/random.js';
import { generatedMaker, type PairMaker } from '../examples/index.js';
import {
  GENERATOR,
  generateCollection,
  isEndpoint,
  openGenerator,
  queriesByDocument,
  requireService,
} from '../generate/index.js';
import { Bm25Searcher, buildBm25Index, openBm25Index } from '../index/bm25/index.js';
import { sampleDistinct } from '../negatives/sample-distinct.js';
import { bestModel } from '../run/best-model.js';
import { requireModel } from '../teacher/labeller-options.js';
import { learnedDocuments } from './made-queries.js';

/** Where recipes expect a generator, too. */
const USUAL_GENERATOR = 'runs/generator';

/** Who writes queries for an adaptation, and what is done with them. */
export interface WrittenQueriesOptions {
  /** A run of the recipe query-generator, a folder of a T5, or the address of a service. Default `runs/generator`. */
  generator?: string;
  /** Which of a service's models writes. */
  service?: string;
  /** Only queries by which BM25 finds their document again are used. Default true. */
  roundTrip?: boolean;
  threads?: number;
  onPassages?: (passages: number, of: number) => void;
}

/** What came of writing queries. */
export interface WrittenQueries {
  generator: string;
  documents: number;
  written: number;
  /** Those by which BM25 finds their document. */
  kept: number;
}

/** Queries for each document: as GPL has it. */
const COUNT = 3;
/** About this share of the queries leads back to the document. */
const SHARE_KEPT = 0.5;
/** BM25 has to have the document among so many (Promptagator takes 1, which leaves the easiest). */
const DEPTH = 10;

/** Fails where the generator is not there, before anything else is done. */
export async function requireGenerator({ generator, service }: WrittenQueriesOptions): Promise<void> {
  const named = generator ?? USUAL_GENERATOR;
  if (isEndpoint(named)) requireService(named, service);
  else await requireModel(named, GENERATOR);
}

/**
 * Lets a model write queries for documents that may be learned from. What is written waits in `folder`, so that a kill loses
 * a batch of passages at most.
 *
 * @param most as many queries as are of use
 */
export async function writeQueries(
  dataset: Dataset,
  folder: string,
  options: WrittenQueriesOptions & { most: number; seed: number; sources: number },
): Promise<{ maker: PairMaker; told: WrittenQueries }> {
  const { generator: named = USUAL_GENERATOR, roundTrip = true, seed, most, onPassages } = options;
  const writer = isEndpoint(named) ? named : await bestModel(named);
  const generator = await openGenerator(writer, {
    count: COUNT,
    topK: 25,
    topP: 0.95,
    temperature: 1,
    seed,
    beams: 0,
    lengthPenalty: 1,
    minTokens: 0,
    repetitionPenalty: 1,
    noRepeat: 0,
    session: { threads: options.threads },
    endpoint: { model: options.service, key: process.env.NEARMISS_GENERATOR_KEY },
  });
  try {
    const { numbers, ids, dataFingerprint } = await learnedNumbers(dataset, options);
    const wanted = Math.ceil(most / COUNT / SHARE_KEPT);
    const drawn = sampleDistinct(Random.from(seed, 'generate'), numbers.length, wanted);
    const only = new Set(drawn.map((place) => numbers[place]).sort((a, b) => a - b));
    const key = createHash('sha256').update(
      JSON.stringify([generator.fingerprint, dataFingerprint, ...only]),
    );
    const out = join(folder, `${key.digest('hex').slice(0, 12)}.jsonl`);
    if (!(await exists(out))) {
      await generateCollection(dataset, generator, {
        out,
        only,
        dataFingerprint,
        onPassages: (passages) => onPassages?.(passages, only.size),
      });
    }
    const written = await queriesByDocument(out);
    const kept = roundTrip ? await ledBack(dataset, written) : written;
    const maker = generatedMaker((document) => kept.get(ids[document]) ?? []);
    const told = {
      generator: generator.name,
      documents: only.size,
      written: countOf(written),
      kept: countOf(kept),
    };
    return { maker, told };
  } finally {
    await generator.close();
  }
}

async function learnedNumbers(dataset: Dataset, options: { seed: number; sources: number }) {
  const hash = new ContentHash();
  const ids: string[] = [];
  for await (const document of dataset.documents()) {
    hash.add(document);
    ids.push(document.id);
  }
  return { ids, dataFingerprint: hash.digest(), numbers: await learnedDocuments(dataset, options) };
}

/** The queries by which BM25 finds their document (round trip). */
async function ledBack(
  dataset: Dataset,
  written: ReadonlyMap<string, readonly string[]>,
): Promise<Map<string, string[]>> {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-round-trip-'));
  try {
    await buildBm25Index(join(folder, 'index'), dataset.documents());
    const index = await openBm25Index(join(folder, 'index'));
    const searcher = new Bm25Searcher(index);
    const finds = (query: string, document: string): boolean =>
      Array.from(searcher.search(query, DEPTH).ids, (id) => index.documentId(id)).includes(document);
    return new Map([...written].map(([id, queries]) => [id, queries.filter((query) => finds(query, id))]));
  } finally {
    await removeDirectory(folder);
  }
}

function countOf(queries: ReadonlyMap<string, readonly string[]>): number {
  return [...queries.values()].reduce((sum, own) => sum + own.length, 0);
}
