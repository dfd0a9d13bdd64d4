import { NearmissError } from '../../../base/errors.js';
import { rowsOf } from '../../../model/encoder/encoded-texts.js';
import type { EngineBatch, EngineDocument, SparseRows, VersionShape } from '../engine.js';
import { meanOf } from '../means.js';
import { vectorJson } from '../vector-json.js';
import type { PgClient } from './pg-sessions.js';
import { fieldsJson } from './pgvector-filter.js';
import { hasMeans, hasOneRow, rowType, SPARSE_SIZE, tablesOf } from './pgvector-layout.js';

/** Puts documents into the tables of a version, in place of what is there with their numbers. */
export async function insertBatch(
  client: PgClient,
  version: string,
  shape: VersionShape,
  batch: EngineBatch,
): Promise<void> {
  const { documents } = tablesOf(version);
  const columns = columnsOf(shape, batch);
  const names = columns.map(({ name }) => name);
  const given = columns.map(({ array }, i) => `$${i + 1}::${array}[]`);
  const kept = columns.map(({ name, type }) => `given.${name}${type === undefined ? '' : `::${type}`}`);
  const changed = names.slice(1).map((name) => `${name} = excluded.${name}`);
  await client.query(
    `insert into ${documents} (${names}) select ${kept} from unnest(${given}) as given(${names})
     on conflict (number) do update set ${changed}`,
    columns.map(({ values }) => values),
  );
  if (batch.rows && !hasOneRow(shape)) await insertRows(client, version, shape, batch);
}

interface Column {
  name: string;
  /** What its values are sent as. */
  array: 'int' | 'text';
  /** What they become, where that is something else. */
  type?: string;
  values: unknown[];
}

function columnsOf(shape: VersionShape, { first, documents, rows, sparse }: EngineBatch): Column[] {
  const of = <T>(value: (document: EngineDocument, i: number) => T): T[] => documents.map(value);
  const own = (i: number): Float32Array | undefined => {
    const row = rows && rowsOf(rows, i);
    return row && row.length > 0 ? row : undefined;
  };
  const type = rowType(shape);
  const columns: Column[] = [
    { name: 'number', array: 'int', values: of((_, i) => first + i) },
    { name: 'id', array: 'text', values: of(({ id }) => checkedId(id)) },
    { name: 'title', array: 'text', values: of(({ title }) => keptText(title)) },
    { name: 'text', array: 'text', values: of(({ text }) => keptText(text)) },
    {
      name: 'metadata',
      array: 'text',
      type: 'json',
      values: of(({ metadata }) => (metadata === undefined ? null : JSON.stringify(metadata))),
    },
    { name: 'fields', array: 'text', type: 'jsonb', values: of(({ fields }) => fieldsJson(fields)) },
  ];
  const vectors = (name: string, row: (own: Float32Array) => Float32Array): Column => ({
    ...{ name, array: 'text', type },
    values: of((_, i) => {
      const found = own(i);
      return found ? vectorJson(row(found)) : null;
    }),
  });
  if (rows && hasOneRow(shape)) columns.push(vectors('row', (row) => row));
  if (rows && hasMeans(shape)) columns.push(vectors('mean', (row) => meanOf(row, shape.dimension!)));
  if (sparse) {
    columns.push({
      ...{ name: 'terms', array: 'text', type: 'sparsevec' },
      values: of((_, i) => (sparse.offsets[i + 1] > sparse.offsets[i] ? sparseText(sparse, i) : null)),
    });
  }
  return columns;
}

async function insertRows(
  client: PgClient,
  version: string,
  shape: VersionShape,
  { first, documents, rows }: EngineBatch,
): Promise<void> {
  const table = tablesOf(version).rows;
  const dimension = shape.dimension!;
  const [owners, nths, vectors]: [number[], number[], string[]] = [[], [], []];
  documents.forEach((_, i) => {
    const own = rowsOf(rows!, i);
    for (let start = 0, nth = 0; start < own.length; start += dimension, nth++) {
      owners.push(first + i);
      nths.push(nth);
      vectors.push(vectorJson(own.subarray(start, start + dimension)));
    }
  });
  await client.query(`delete from ${table} where document between $1 and $2`, [
    first,
    first + documents.length - 1,
  ]);
  await client.query(
    `insert into ${table} (document, nth, row) select document, nth, row::${rowType(shape)}
     from unnest($1::int[], $2::int[], $3::text[]) as given(document, nth, row)`,
    [owners, nths, vectors],
  );
}

/** The terms of a text as a sparsevec, whose terms count from one. */
export function sparseText({ terms, weights, offsets }: SparseRows, text: number): string {
  const parts: string[] = [];
  for (let i = offsets[text]; i < offsets[text + 1]; i++) {
    if (terms[i] >= SPARSE_SIZE) {
      throw new NearmissError(`pgvector: expected terms below ${SPARSE_SIZE}, got ${terms[i]}`);
    }
    parts.push(`${terms[i] + 1}:${weights[i].toPrecision(9)}`);
  }
  return `{${parts.join(',')}}/${SPARSE_SIZE}`;
}

/** PostgreSQL keeps no NUL in texts. */
function keptText(text: string | undefined): string | null {
  return text?.replaceAll('\0', '\uFFFD') ?? null;
}

function checkedId(id: string): string {
  if (!id.includes('\0')) return id;
  throw new NearmissError(`pgvector: expected an id without NUL, got ${JSON.stringify(id)}`);
}
