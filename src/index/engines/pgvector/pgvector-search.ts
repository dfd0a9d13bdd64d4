import { rowsOf } from '../../../model/encoder/encoded-texts.js';
import type { EngineHit, EngineSearch, VersionShape } from '../engine.js';
import { candidatesFor, meanOf } from '../means.js';
import { vectorJson } from '../vector-json.js';
import type { PgClient } from './pg-sessions.js';
import { filterSql } from './pgvector-filter.js';
import { hasGraph, hasOneRow, rowType, tablesOf } from './pgvector-layout.js';
import { sparseText } from './pgvector-rows.js';
import { SqlParameters } from './sql-parameters.js';

/** So many times more candidates are found by their bits and compared again with whole rows. */
const OVERSAMPLING = 4;
/** Rows that are looked at for a document at first, where documents have several. */
const ROWS_A_DOCUMENT = 4;
const MOST_EF = 1000;
const LEAST_EF = 64;

/** How a graph is walked: on and on, best first, until there are enough. */
export function graphSettings(
  shape: VersionShape,
  { k, efSearch, exact }: EngineSearch,
): Record<string, string | number> {
  if (exact || !hasGraph(shape)) return {};
  return {
    'hnsw.ef_search': Math.min(MOST_EF, Math.max(1, efSearch ?? Math.max(LEAST_EF, Math.ceil(2.5 * k)))),
    'hnsw.iterative_scan': 'strict_order',
  };
}

/** The best documents of one query. */
export async function searchOne(
  client: PgClient,
  version: string,
  shape: VersionShape,
  search: EngineSearch,
  query: number,
): Promise<EngineHit[]> {
  const statement = new Statement(version, shape, search, query);
  if (search.sparse) return statement.hits(client, statement.sparse());
  if (search.exact || !hasGraph(shape)) return statement.hits(client, statement.exact());
  const near = await statement.near(client);
  // A graph gives up at some point where a filter lets little through; what it lets through is then compared whole.
  return near.length < search.k ? statement.again().exactHits(client) : near;
}

interface Found {
  number: number;
  score: number;
  id?: string;
  /** Rows that were looked at. */
  seen?: number;
}

/** One search in SQL. Scores are inner products: pgvector's `<#>` is their negative. */
class Statement {
  readonly #version: string;
  readonly #shape: VersionShape;
  readonly #search: EngineSearch;
  readonly #query: number;
  readonly #parameters = new SqlParameters();

  constructor(version: string, shape: VersionShape, search: EngineSearch, query: number) {
    this.#version = version;
    this.#shape = shape;
    this.#search = search;
    this.#query = query;
  }

  /** The same search, for another statement. */
  again(): Statement {
    return new Statement(this.#version, this.#shape, this.#search, this.#query);
  }

  async exactHits(client: PgClient): Promise<EngineHit[]> {
    return this.hits(client, this.exact());
  }

  async hits(client: PgClient, sql: string): Promise<Found[]> {
    const { rows } = await client.query<Found>(sql, this.#parameters.values);
    return rows;
  }

  sparse(): string {
    const { documents } = tablesOf(this.#version);
    const query = `${this.#parameters.add(sparseText(this.#search.sparse!, this.#query))}::sparsevec`;
    return this.#best(
      `select number, -(terms <#> ${query}) as score from ${documents} where terms is not null${this.#and()}`,
      'where score > 0',
    );
  }

  exact(): string {
    const { documents, rows } = tablesOf(this.#version);
    if (this.#shape.compare === 'max-sim') return this.#lateInteraction(this.#among());
    if (!hasOneRow(this.#shape)) {
      return this.#best(
        `select document as number, max(-(row::vector <#> ${this.#row()})) as score from ${rows}${this.#among()} group by document`,
      );
    }
    return this.#best(
      `select number, -(row::vector <#> ${this.#row()}) as score from ${documents} where row is not null${this.#and()}`,
    );
  }

  /** By the graph, with the scores of whole rows. */
  async near(client: PgClient): Promise<EngineHit[]> {
    const { documents } = tablesOf(this.#version);
    const { compare, quantization, dimension } = this.#shape;
    if (compare === 'best') return this.#nearRows(client);
    if (compare === 'max-sim') {
      const mean = this.#parameters.add(vectorJson(meanOf(this.#own(), dimension!)));
      const candidates = `select number from ${documents} where mean is not null${this.#and()}
        order by mean <#> ${mean}::${rowType(this.#shape)} limit ${candidatesFor(this.#search.k)}`;
      return this.hits(client, this.#lateInteraction(` where document in (${candidates})`));
    }
    const row = this.#row();
    const bits = quantization === 'binary';
    const distance = bits
      ? `binary_quantize(row)::bit(${dimension}) <~> binary_quantize(${row})::bit(${dimension})`
      : `row <#> ${row}::${rowType(this.#shape)}`;
    const candidates = `select number, row from ${documents} where row is not null${this.#and()}
      order by ${distance} limit ${this.#search.k * (bits ? OVERSAMPLING : 1)}`;
    return this.hits(
      client,
      this.#best(`select number, -(row::vector <#> ${row}) as score from (${candidates}) candidates`),
    );
  }

  /** The nearest rows, as many as it takes for k documents. */
  async #nearRows(client: PgClient): Promise<EngineHit[]> {
    const { k } = this.#search;
    const { rows } = tablesOf(this.#version);
    for (let limit = ROWS_A_DOCUMENT * k; ; limit *= 2) {
      const statement = this.again();
      const row = statement.#row();
      const candidates = `select document, row from ${rows}${statement.#among()}
        order by row <#> ${row}::${rowType(this.#shape)} limit ${limit}`;
      const found = await statement.hits(
        client,
        statement.#best(
          `select document as number, max(-(row::vector <#> ${row})) as score, (sum(count(*)) over ())::int as seen
           from (${candidates}) candidates group by document`,
        ),
      );
      if (found.length >= k || (found[0]?.seen ?? 0) < limit) return found;
    }
  }

  /** Of each row of the query the best of a document's, summed. */
  #lateInteraction(among: string): string {
    const { rows } = tablesOf(this.#version);
    const own = this.#own();
    const dimension = this.#shape.dimension!;
    const vectors = Array.from({ length: own.length / dimension }, (_, i) =>
      vectorJson(own.subarray(i * dimension, (i + 1) * dimension)),
    );
    return this.#best(
      `select number, sum(best) as score from (
         select document as number, nth, max(-(rows.row::vector <#> asked.row)) as best
         from (select document, row from ${rows}${among}) rows
         cross join (select nth, row::vector from unnest(${this.#parameters.add(vectors)}::text[]) with ordinality given(row, nth)) asked
         group by document, nth) of_rows group by number`,
    );
  }

  /** The best k of what was scored, with documents' ids where they are wanted. */
  #best(scored: string, condition = ''): string {
    const { k, ids } = this.#search;
    const best = `select * from (${scored}) scored ${condition} order by score desc, number limit ${this.#parameters.add(k)}::int`;
    if (!ids) return best;
    return `select best.*, id from (${best}) best join ${tablesOf(this.#version).documents} using (number) order by score desc, number`;
  }

  #own(): Float32Array {
    return rowsOf(this.#search.rows!, this.#query);
  }

  #row(): string {
    return `${this.#parameters.add(vectorJson(this.#own()))}::vector`;
  }

  #and(): string {
    const { filter } = this.#search;
    return filter ? ` and ${filterSql(filter, this.#parameters)}` : '';
  }

  /** The filter as a condition on the table of rows. */
  #among(): string {
    const { filter } = this.#search;
    if (!filter) return '';
    const { documents } = tablesOf(this.#version);
    return ` where document in (select number from ${documents} where ${filterSql(filter, this.#parameters)})`;
  }
}
