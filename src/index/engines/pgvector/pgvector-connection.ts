import { LRUCache } from 'lru-cache';
import { NearmissError } from '../../../base/errors.js';
import type {
  EngineAnswer,
  EngineBatch,
  EngineConnection,
  EngineDocument,
  EngineHit,
  EngineSearch,
  StoredDocument,
  VersionDescription,
  VersionFields,
  VersionShape,
  VersionState,
} from '../engine.js';
import { isVersionOf } from '../load-version.js';
import { codeOf, MADE_MEANWHILE, NO_TABLE } from './pg-errors.js';
import type { PgClient, PgSessions, WorkOptions } from './pg-sessions.js';
import { createExtension } from './pgvector-extension.js';
import { CATALOGUE, checkShape, graphSql, hasOneRow, tablesOf, tablesSql } from './pgvector-layout.js';
import { insertBatch } from './pgvector-rows.js';
import { graphSettings, searchOne } from './pgvector-search.js';

const [QUERIES_AT_ONCE, DOCUMENTS_AT_ONCE] = [32, 1000];
/** Of a batch of rows, which is long by nature. */
const ADD = { tryMs: 120_000, totalMs: 300_000 };
/** Of what takes as long as it takes: a graph. */
const NO_LIMIT = { tryMs: 0 };
const NO_GRAPH = 'the graph was not built: every search compares all documents';

interface Row extends EngineDocument {
  number: number;
  row?: number[];
}

/** The versions in a database, each in tables of its own. */
export class PgvectorConnection implements EngineConnection {
  readonly #sessions: PgSessions;
  readonly #shapes = new LRUCache<string, VersionShape>({ max: 100 });

  constructor(sessions: PgSessions) {
    this.#sessions = sessions;
  }

  async versions(name: string): Promise<string[]> {
    const rows = await this.#listed<{ version: string }>('select version from nearmiss_versions', []);
    return rows
      .map(({ version }) => version)
      .filter((version) => isVersionOf(name, version))
      .sort();
  }

  async current(name: string): Promise<string | undefined> {
    const [row] = await this.#listed<{ version: string }>(
      'select version from nearmiss_names where name = $1',
      [name],
    );
    return row?.version;
  }

  async create(version: string, description: VersionDescription): Promise<void> {
    checkShape(description.shape);
    await createExtension(this.#sessions);
    await this.#make(CATALOGUE);
    await this.#make(tablesSql(version, description.shape));
    await this.#write((client) =>
      client.query('insert into nearmiss_versions values ($1, $2) on conflict do nothing', [
        version,
        JSON.stringify(description),
      ]),
    );
  }

  async add(version: string, batch: EngineBatch): Promise<void> {
    const shape = await this.#shape(version);
    await this.#write((client) => insertBatch(client, version, shape, batch), ADD);
  }

  async build(version: string, fields: VersionFields, onProgress?: (note: string) => void): Promise<void> {
    const { documents, ids, fields: filtered } = tablesOf(version);
    const graph = graphSql(version, await this.#shape(version));
    const hasFields = Object.values(fields).some(({ size }) => size > 0);
    const options = { ...NO_LIMIT, onNotice: onProgress };
    // Ids may be longer than an ordered index takes.
    await this.#make([`create index if not exists ${ids} on ${documents} using hash (id)`], options);
    if (hasFields) {
      const index = `create index if not exists ${filtered} on ${documents} using gin (fields jsonb_path_ops)`;
      await this.#make([index], options);
    }
    if (graph !== undefined) {
      onProgress?.('the graph is being built');
      await this.#make([graph], options);
    }
    await this.#make([`analyze ${documents}`], options);
  }

  async describe(version: string): Promise<VersionDescription | undefined> {
    const [row] = await this.#listed<{ description: VersionDescription }>(
      'select description from nearmiss_versions where version = $1',
      [version],
    );
    return row?.description;
  }

  async redescribe(version: string, description: VersionDescription): Promise<void> {
    await this.#write((client) =>
      client.query('update nearmiss_versions set description = $2 where version = $1', [
        version,
        JSON.stringify(description),
      ]),
    );
  }

  async state(version: string): Promise<VersionState> {
    const { documents, graph } = tablesOf(version);
    const wantsGraph = graphSql(version, await this.#shape(version)) !== undefined;
    const { count, built } = await this.#read(version, async (client) => {
      const { rows } = await client.query<{ count: number; built: boolean }>(
        `select (select count(*)::int from ${documents}) as count,
           exists (select from pg_index where indexrelid = to_regclass($1) and indisvalid) as built`,
        [graph],
      );
      return rows[0];
    });
    const ready = built || !wantsGraph;
    return { count, ready, note: ready ? undefined : NO_GRAPH };
  }

  async search(version: string, search: EngineSearch): Promise<EngineAnswer> {
    const shape = await this.#shape(version);
    const total = (search.sparse ?? search.rows)!.offsets.length - 1;
    const hits: EngineHit[][] = new Array(total);
    const settings = graphSettings(shape, search);
    let next = 0;
    const answer = async (): Promise<void> => {
      while (next < total) {
        const first = next;
        next = Math.min(total, first + QUERIES_AT_ONCE);
        const end = next;
        const work = async (client: PgClient): Promise<void> => {
          for (let query = first; query < end; query++) {
            hits[query] = await searchOne(client, version, shape, search, query);
          }
        };
        await this.#read(version, work, { settings, signal: search.signal });
      }
    };
    await Promise.all(Array.from({ length: Math.min(this.#sessions.pool, total) }, answer));
    return { hits };
  }

  async read(version: string, numbers: readonly number[]): Promise<(StoredDocument | undefined)[]> {
    const { documents, rows } = tablesOf(version);
    const shape = await this.#shape(version);
    const dense = shape.dimension !== undefined;
    const one = dense && hasOneRow(shape);
    const found = new Map<number, StoredDocument>();
    for (let first = 0; first < numbers.length; first += DOCUMENTS_AT_ONCE) {
      const wanted = numbers.slice(first, first + DOCUMENTS_AT_ONCE);
      const [own, several] = await this.#read(version, async (client) => [
        await client.query<Row>(
          `select number, id, title, text, metadata${one ? ', row::real[]' : ''} from ${documents} where number = any($1::int[])`,
          [wanted],
        ),
        dense && !one
          ? await client.query<{ document: number; row: number[] }>(
              `select document, row::real[] from ${rows} where document = any($1::int[]) order by document, nth`,
              [wanted],
            )
          : undefined,
      ]);
      const rowsOf = new Map<number, number[]>();
      for (const { document, row } of several?.rows ?? []) {
        rowsOf.set(document, [...(rowsOf.get(document) ?? []), ...row]);
      }
      for (const row of own.rows) {
        const values = row.row ?? rowsOf.get(row.number) ?? [];
        found.set(row.number, { ...documentOf(row), rows: Float32Array.from(values) });
      }
    }
    return numbers.map((number) => found.get(number));
  }

  async find(version: string, ids: readonly string[]): Promise<(EngineDocument | undefined)[]> {
    const { documents } = tablesOf(version);
    const found = new Map<string, EngineDocument>();
    for (let first = 0; first < ids.length; first += DOCUMENTS_AT_ONCE) {
      const { rows } = await this.#read(version, (client) =>
        client.query<Row>(
          `select id, title, text, metadata from unnest($1::text[]) as wanted(id) join ${documents} using (id)`,
          [ids.slice(first, first + DOCUMENTS_AT_ONCE).filter((id) => !id.includes('\0'))],
        ),
      );
      for (const row of rows) found.set(row.id, documentOf(row));
    }
    return ids.map((id) => found.get(id));
  }

  async *scan(version: string): AsyncGenerator<EngineDocument> {
    const { documents } = tablesOf(version);
    for (let from = 0; ; ) {
      const { rows } = await this.#read(version, (client) =>
        client.query<Row>(
          `select number, id, metadata from ${documents} where number >= $1 order by number limit $2`,
          [from, DOCUMENTS_AT_ONCE],
        ),
      );
      if (rows.length === 0) return;
      for (const row of rows) yield documentOf(row);
      from = rows[rows.length - 1].number + 1;
    }
  }

  async point(name: string, version: string): Promise<void> {
    await this.#write((client) =>
      client.query(
        'insert into nearmiss_names values ($1, $2) on conflict (name) do update set version = excluded.version',
        [name, version],
      ),
    );
  }

  async remove(version: string): Promise<void> {
    this.#shapes.delete(version);
    const { documents, rows } = tablesOf(version);
    if ((await this.describe(version)) === undefined) return;
    await this.#write(async (client) => {
      await client.query('delete from nearmiss_names where version = $1', [version]);
      await client.query('delete from nearmiss_versions where version = $1', [version]);
      await client.query(`drop table if exists ${rows}, ${documents}`);
    });
  }

  async close(): Promise<void> {
    await this.#sessions.close();
  }

  async #shape(version: string): Promise<VersionShape> {
    const known = this.#shapes.get(version);
    if (known) return known;
    const description = await this.describe(version);
    if (!description) throw missing(version);
    this.#shapes.set(version, description.shape);
    return description.shape;
  }

  /** Rows of the catalogue: none where nothing was ever pushed. */
  async #listed<T extends object>(sql: string, values: readonly unknown[]): Promise<T[]> {
    try {
      return await this.#sessions.transaction(
        async (client) => (await client.query(sql, [...values])).rows as T[],
      );
    } catch (error) {
      if (codeOf((error as Error).cause) === NO_TABLE) return [];
      throw error;
    }
  }

  async #read<T>(version: string, work: (client: PgClient) => Promise<T>, options?: WorkOptions): Promise<T> {
    try {
      return await this.#sessions.transaction(work, options);
    } catch (error) {
      throw codeOf((error as Error).cause) === NO_TABLE ? missing(version) : error;
    }
  }

  async #write<T>(work: (client: PgClient) => Promise<T>, options?: WorkOptions): Promise<T> {
    return this.#sessions.transaction(work, { ...options, writes: true });
  }

  /** Makes what is not there yet; another session may do the same at the same time. */
  async #make(statements: readonly string[], options?: WorkOptions): Promise<void> {
    for (const statement of statements) {
      const make = (): Promise<unknown> => this.#write((client) => client.query(statement), options);
      await make().catch((error) => {
        if (!MADE_MEANWHILE.includes(codeOf((error as Error).cause))) throw error;
        return make();
      });
    }
  }
}

function documentOf({ id, title, text, metadata }: EngineDocument): EngineDocument {
  const given = (value: unknown): boolean => value !== undefined && value !== null;
  return {
    id,
    ...(given(title) && { title }),
    ...(given(text) && { text }),
    ...(given(metadata) && { metadata }),
  };
}

function missing(version: string): NearmissError {
  return new NearmissError(`PostgreSQL has no tables of ${version}`, {
    hint: 'push it again: nearmiss push RUN --to postgres://HOST:PORT/DATABASE/NAME',
  });
}
