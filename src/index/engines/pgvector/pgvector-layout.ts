import { createHash } from 'node:crypto';
import { NearmissError } from '../../../base/errors.js';
import type { VersionShape } from '../engine.js';
import { identifier } from './sql-parameters.js';

/** The versions there are, each with its description, and which of them a name points to. */
export const CATALOGUE = [
  'create table if not exists nearmiss_versions (version text primary key, description json not null)',
  'create table if not exists nearmiss_names (name text primary key, version text not null references nearmiss_versions)',
];

/** PostgreSQL cuts names after 63 bytes; the longest ending is left room for. */
const LONGEST_NAME = 50;
/** Numbers of a row that pgvector keeps, and that it makes a graph of. */
const MOST_NUMBERS = 16_000;
const MOST_IN_GRAPH = { f32: 2000, f16: 4000, bits: 64_000 } as const;
/** Terms are numbered below this. */
export const SPARSE_SIZE = 1_000_000_000;

/** The tables and indexes of a version, as SQL has them. */
export interface VersionTables {
  documents: string;
  /** Of documents with several rows. */
  rows: string;
  graph: string;
  ids: string;
  fields: string;
}

export function tablesOf(version: string): VersionTables {
  const hash = (): string => createHash('sha256').update(version).digest('hex').slice(0, 32);
  const name = `nearmiss_${version.length <= LONGEST_NAME ? version : hash()}`;
  return {
    documents: identifier(name),
    rows: identifier(`${name}_r`),
    graph: identifier(`${name}_g`),
    ids: identifier(`${name}_i`),
    fields: identifier(`${name}_f`),
  };
}

/** Whether a document's row is in the table of documents. */
export function hasOneRow({ compare }: VersionShape): boolean {
  return compare === 'one';
}

/** Whether late interaction has candidates found for it by the mean of rows. */
export function hasMeans({ compare, exact }: VersionShape): boolean {
  return compare === 'max-sim' && !exact;
}

/** Whether a graph is built at all. */
export function hasGraph({ dimension, exact }: VersionShape): boolean {
  return dimension !== undefined && !exact;
}

/** The type of a row. */
export function rowType({ dimension, storage }: VersionShape): string {
  return `${storage === 'f16' ? 'halfvec' : 'vector'}(${dimension})`;
}

/** Fails where PostgreSQL cannot lay a version out like this. */
export function checkShape(shape: VersionShape): void {
  const { dimension = 0, quantization = 'none', shards, replicas = 1, storage = 'f32' } = shape;
  const refuse = (what: string, hint: string): never => {
    throw new NearmissError(`pgvector: ${what}`, { hint });
  };
  if (shards !== undefined && shards > 1) {
    refuse('a table has no shards', 'leave them out, or use Qdrant: docs/engines.md');
  }
  if (replicas > 1) {
    refuse('a version has no replicas of its own', 'let PostgreSQL itself copy the database to a standby');
  }
  if (quantization === 'int8' || (quantization === 'binary' && !hasOneRow(shape))) {
    refuse(
      `there is no quantization ${quantization} ${quantization === 'int8' ? '' : 'of several rows a document '}there`,
      'use --storage f16, or --quantization binary where documents have one row each',
    );
  }
  if (dimension > MOST_NUMBERS) {
    refuse(
      `expected at most ${MOST_NUMBERS} numbers a row, got ${dimension}`,
      'use a model of fewer dimensions',
    );
  }
  const most = quantization === 'binary' ? MOST_IN_GRAPH.bits : MOST_IN_GRAPH[storage];
  if (hasGraph(shape) && dimension > most) {
    refuse(
      `expected at most ${most} numbers a row for a graph in ${storage}, got ${dimension}`,
      'use --storage f16 (up to 4,000), --quantization binary, or --exact, which builds no graph',
    );
  }
}

/** Statements that make the tables of a version. */
export function tablesSql(version: string, shape: VersionShape): string[] {
  const { documents, rows } = tablesOf(version);
  const { dimension, sparse } = shape;
  const type = rowType(shape);
  const columns = [
    'number int primary key',
    'id text not null',
    'title text',
    'text text',
    'metadata json',
    'fields jsonb not null',
    ...(dimension !== undefined && hasOneRow(shape) ? [`row ${type}`] : []),
    ...(hasMeans(shape) ? [`mean ${type}`] : []),
    ...(sparse ? ['terms sparsevec'] : []),
  ];
  const several = dimension !== undefined && !hasOneRow(shape);
  return [
    `create table if not exists ${documents} (${columns.join(', ')})`,
    ...(several
      ? [
          `create table if not exists ${rows} (document int not null, nth int not null, row ${type} not null, primary key (document, nth))`,
        ]
      : []),
  ];
}

/** The expression that a graph is of, and its operators. */
export function graphSql(version: string, shape: VersionShape): string | undefined {
  if (!hasGraph(shape)) return undefined;
  const { graph, documents, rows } = tablesOf(version);
  const { dimension, storage, quantization, compare } = shape;
  const inner = storage === 'f16' ? 'halfvec_ip_ops' : 'vector_ip_ops';
  const create = `create index if not exists ${graph} on`;
  if (quantization === 'binary') {
    return `${create} ${documents} using hnsw ((binary_quantize(row)::bit(${dimension})) bit_hamming_ops)`;
  }
  if (compare === 'best') return `${create} ${rows} using hnsw (row ${inner})`;
  return `${create} ${documents} using hnsw (${hasMeans(shape) ? 'mean' : 'row'} ${inner})`;
}
