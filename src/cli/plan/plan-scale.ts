import { vectorIndexBytes, wholeVectorsBytes } from '../../index/vectors/memory-cost.js';
import type { IndexType, VectorStorage } from '../../index/vectors/vector-index.js';
import type { UsedPrecision } from '../../model/precision/precision.js';
import {
  codesBuildCoreSeconds,
  codesQueriesPerSecond,
  type EncoderSize,
  encodeTokensPerSecond,
  flatQueriesPerSecond,
  hnswBuildCoreSeconds,
  hnswQueriesPerSecond,
  MEASURED,
} from './cost-curves.js';

export interface ScaleQuestion extends EncoderSize {
  documents: number;
  /** Numbers in a vector. */
  dimension: number;
  precision: UsedPrecision;
  /** Tokens a second on one core, where they were measured; else by the curves. */
  tokensPerSecond?: number;
  /** Machines that encode. */
  workers: number;
  /** Of a machine. */
  cores: number;
  memoryGb: number;
  index: IndexType;
  storage: VectorStorage;
  /** That have to be answered. */
  queriesPerSecond: number;
  /** Copies of every shard. */
  replicas: number;
  /** Hours of training, and how often in that time the collection is encoded anew. */
  refreshes: number;
  /** Of a core for an hour. */
  price: number;
}

export interface ScaleAnswer {
  encode: { tokensPerSecondOfCore: number; coreHours: number; hours: number };
  index: { gigabytes: number; shards: number; documentsPerShard: number; buildHours: number };
  search: { machines: number; queriesPerSecond: number };
  training: { refreshHours: number };
  /** What the workers read and write, all together. */
  network: { textGb: number; vectorGb: number };
  diskGb: number;
  /** Of encoding, indexing and refreshes; of serving for a month. */
  money: { once: number; month: number };
  /** What gives way first, the worst first. */
  limits: string[];
}

/** Room for the rest: the system, queries, other processes. */
const MEMORY_SHARE = 0.6;
const BYTES_OF_TOKEN = 4.5;
const [GIGABYTE, HOUR, MONTH_HOURS] = [1e9, 3600, 730];
/** Numbers of documents are 32 bits wide. */
const MOST_DOCUMENTS = 2 ** 31 - 1;
const LARGEST_MEASURED = MEASURED.index.points[MEASURED.index.points.length - 1].vectors;

/** What a collection of some size costs to encode, index and search, by what was measured on two cores. */
export function planScale(question: ScaleQuestion): ScaleAnswer {
  const { documents, tokens, dimension, workers, cores, index, storage, price, replicas } = question;
  const tokensPerSecondOfCore =
    question.tokensPerSecond ?? encodeTokensPerSecond(question.precision, question);
  const encodeSeconds = (documents * tokens) / tokensPerSecondOfCore;
  const bytes = vectorIndexBytes({ type: index, storage, count: documents, dimension });
  const whole = wholeVectorsBytes({ type: index, storage, count: documents, dimension });
  const shards = Math.max(1, Math.ceil(bytes / (question.memoryGb * GIGABYTE * MEMORY_SHARE)));
  const documentsPerShard = Math.ceil(documents / shards);
  const buildSeconds = buildCoreSeconds(index, documentsPerShard, dimension) * shards;
  // Every shard answers every query; copies share them.
  const queriesOfMachine = queriesOfCore(index, documentsPerShard, dimension) * cores;
  const copies = Math.max(replicas, Math.ceil(question.queriesPerSecond / queriesOfMachine));
  const machines = shards * copies;
  const refreshSeconds = (encodeSeconds + buildSeconds) * question.refreshes;
  const once = ((encodeSeconds + buildSeconds + refreshSeconds) / HOUR) * price;
  const answer = {
    encode: {
      tokensPerSecondOfCore,
      coreHours: encodeSeconds / HOUR,
      hours: encodeSeconds / HOUR / (workers * cores),
    },
    index: {
      gigabytes: bytes / GIGABYTE,
      shards,
      documentsPerShard,
      buildHours: buildSeconds / HOUR / (Math.min(shards, workers) * cores),
    },
    search: { machines, queriesPerSecond: queriesOfMachine * copies },
    training: { refreshHours: refreshSeconds / HOUR / (workers * cores) },
    network: {
      textGb: (documents * tokens * BYTES_OF_TOKEN) / GIGABYTE,
      vectorGb: (documents * dimension * 4) / GIGABYTE,
    },
    diskGb: ((bytes + whole) * copies + documents * (tokens * BYTES_OF_TOKEN + dimension * 4)) / GIGABYTE,
    money: { once, month: machines * cores * MONTH_HOURS * price },
  };
  return { ...answer, limits: limitsOf(question, answer) };
}

function buildCoreSeconds(index: IndexType, vectors: number, dimension: number): number {
  if (index === 'flat') return 0;
  return index === 'hnsw'
    ? hnswBuildCoreSeconds(vectors, dimension)
    : codesBuildCoreSeconds(vectors, dimension);
}

function queriesOfCore(index: IndexType, vectors: number, dimension: number): number {
  if (index === 'flat') return flatQueriesPerSecond(vectors, dimension);
  return index === 'hnsw'
    ? hnswQueriesPerSecond(vectors, dimension)
    : codesQueriesPerSecond(index, vectors, dimension);
}

function limitsOf(question: ScaleQuestion, { index, encode, search }: Omit<ScaleAnswer, 'limits'>): string[] {
  const limits: string[] = [];
  const { documents } = question;
  if (documents > MOST_DOCUMENTS) {
    limits.push(`numbers of documents are 32 bits wide: at most ${MOST_DOCUMENTS} in one collection`);
  }
  if (index.shards > 1) {
    limits.push(
      `the index needs ${index.shards} machines; nearmiss searches on one: fewer bits (--index binary), or another engine`,
    );
  }
  if (question.index === 'hnsw' && index.documentsPerShard > LARGEST_MEASURED) {
    limits.push(
      `graphs were measured up to ${LARGEST_MEASURED} vectors: build and queries/s are extrapolated`,
    );
  }
  if (index.buildHours > 24) limits.push('building the index takes more than a day');
  if (encode.hours > 24) limits.push('encoding takes more than a day: more workers, or int8');
  if (search.machines > index.shards * question.replicas) {
    limits.push(
      `${question.queriesPerSecond} queries/s need ${search.machines / index.shards} copies of the index`,
    );
  }
  return limits;
}
