import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { NearmissError } from '../../../base/errors.js';
import type {
  EngineAnswer,
  EngineBatch,
  EngineConnection,
  EngineDocument,
  EngineSearch,
  StoredDocument,
  VersionDescription,
  VersionFields,
  VersionShape,
  VersionState,
} from '../engine.js';
import type { EngineHttp } from '../engine-http.js';
import { type FilterTree, isBeyond } from '../filter-tree.js';
import { isVersionOf } from '../load-version.js';
import { fieldPath, PAYLOAD, qdrantFilter, textRanges } from './qdrant-filter.js';
import { BUILD_GRAPHS, collectionOf, DESCRIPTION_KEY, hasMeans } from './qdrant-layout.js';
import { documentOf, type Payload, pointJson } from './qdrant-points.js';
import { searchJson } from './qdrant-search.js';

/** Characters of a request; Qdrant takes 32 MB. */
const MOST_CHARACTERS = 16 * 2 ** 20;
const [QUERIES_AT_ONCE, DOCUMENTS_AT_ONCE] = [32, 1000];
/** Fields that get an index: filters on others read payloads. */
const MOST_INDEXED_FIELDS = 100;
/** Texts of a field that a range may be made of. */
const MOST_TEXTS_OF_RANGE = 10_000;
const [CONSENSUS_SECONDS, POLL_MS] = [60, 200];
/** What all peers have to agree on; what goes over all documents. */
const [CONSENSUS_MS, WHOLE_MS] = [1000 * CONSENSUS_SECONDS, 600_000];

const NOTES = {
  yellow: 'graphs are being built: searches are slower until then',
  grey: 'graphs wait to be built: searches are slower until then',
  red: 'a part is broken: see the log of Qdrant',
};

interface Result<T> {
  result: T;
}

interface Point {
  id: number;
  payload?: Payload;
  vector?: Record<string, number[] | number[][]>;
}

interface CollectionInfo {
  status: 'green' | 'yellow' | 'grey' | 'red';
  points_count: number;
  config: { metadata?: Record<string, VersionDescription> };
}

/** The collections of a Qdrant; versions are collections, names are aliases. */
export class QdrantConnection implements EngineConnection {
  readonly #http: EngineHttp;
  readonly #shapes = new LRUCache<string, VersionShape>({ max: 100 });
  /** Of versions that are complete: they do not change. */
  readonly #texts = new LRUCache<string, readonly string[]>({ max: 100 });

  constructor(http: EngineHttp) {
    this.#http = http;
  }

  async versions(name: string): Promise<string[]> {
    const { result } = await this.#http.json<Result<{ collections: { name: string }[] }>>('/collections');
    const names = result.collections.map((collection) => collection.name);
    return names.filter((version) => isVersionOf(name, version)).sort();
  }

  async current(name: string): Promise<string | undefined> {
    type Aliases = { aliases: { alias_name: string; collection_name: string }[] };
    const { result } = await this.#http.json<Result<Aliases>>('/aliases');
    return result.aliases.find((alias) => alias.alias_name === name)?.collection_name;
  }

  async create(version: string, description: VersionDescription): Promise<void> {
    if (await this.#info(version)) return;
    await this.#http
      .json(`${path(version)}?timeout=${CONSENSUS_SECONDS}`, {
        method: 'PUT',
        body: JSON.stringify(collectionOf(description)),
        tryMs: CONSENSUS_MS,
      })
      .catch(async (error) => {
        // A try before has made it, or somebody else.
        if (!(await this.#info(version))) throw error;
      });
  }

  async add(version: string, batch: EngineBatch): Promise<void> {
    const shape = await this.#shape(version);
    const whole = { ...batch, compare: shape.compare, means: hasMeans(shape) };
    const points = batch.documents.map((_, i) => pointJson(whole, i));
    for (let first = 0; first < points.length; ) {
      let [end, characters] = [first, 0];
      while (end < points.length && (end === first || characters + points[end].length < MOST_CHARACTERS)) {
        characters += points[end++].length;
      }
      await this.#http.json(`${path(version)}/points?wait=true`, {
        method: 'PUT',
        body: `{"points":[${points.slice(first, end).join(',')}]}`,
      });
      first = end;
    }
  }

  async build(version: string, fields: VersionFields, onProgress?: (note: string) => void): Promise<void> {
    const types = { texts: 'keyword', numbers: 'float', flags: 'bool' } as const;
    const wanted = Object.entries(types).flatMap(([type, schema]) =>
      [...fields[type as keyof VersionFields]].map(
        (field) => [fieldPath(type as keyof VersionFields, field), schema] as const,
      ),
    );
    const own = [
      // Of ids there are as many as documents.
      ['id', { type: 'keyword', on_disk: true }],
      ...[PAYLOAD.present, PAYLOAD.nulls].map((key) => [key, 'keyword'] as const),
    ] as const;
    for (const [field_name, field_schema] of [...own, ...wanted.slice(0, MOST_INDEXED_FIELDS)]) {
      await this.#http.json(`${path(version)}/index?wait=true`, {
        method: 'PUT',
        body: JSON.stringify({ field_name, field_schema }),
        tryMs: WHOLE_MS,
      });
    }
    await this.#change(version, BUILD_GRAPHS);
    for (let told = ''; ; ) {
      const { status } = await this.#existing(version);
      if (status === 'green') return;
      const note = NOTES[status];
      if (note !== told) onProgress?.(note);
      told = note;
      await sleep(POLL_MS);
    }
  }

  async describe(version: string): Promise<VersionDescription | undefined> {
    return (await this.#info(version))?.config.metadata?.[DESCRIPTION_KEY];
  }

  async redescribe(version: string, description: VersionDescription): Promise<void> {
    await this.#change(version, { metadata: { [DESCRIPTION_KEY]: description } });
  }

  async state(version: string): Promise<VersionState> {
    const { status } = await this.#existing(version);
    const { result } = await this.#http.json<Result<{ count: number }>>(`${path(version)}/points/count`, {
      method: 'POST',
      body: '{"exact":true}',
      tryMs: CONSENSUS_MS,
    });
    const ready = status === 'green';
    if (!ready) return { count: result.count, ready, note: NOTES[status] };
    return { count: result.count, ready, note: await this.#copiesNote(version) };
  }

  async search(version: string, search: EngineSearch): Promise<EngineAnswer> {
    const shape = await this.#shape(version);
    const filter = search.filter && (await this.#filter(version, search.filter, search.signal));
    const queries = searchJson(search, shape, filter);
    type Answers = Result<{ points: (Point & { score: number })[] }[]>;
    const answer = async (first: number): Promise<Answers['result']> => {
      const searches = queries.slice(first, first + QUERIES_AT_ONCE).join(',');
      const { result } = await this.#http.json<Answers>(`${path(version)}/points/query/batch`, {
        method: 'POST',
        body: `{"searches":[${searches}]}`,
        signal: search.signal,
      });
      return result;
    };
    const hits: EngineAnswer['hits'] = [];
    for (let first = 0; first < queries.length; first += QUERIES_AT_ONCE) {
      for (const { points } of await answer(first)) {
        hits.push(points.map(({ id, score, payload }) => ({ number: id, score, id: payload?.id })));
      }
    }
    return { hits };
  }

  async read(version: string, numbers: readonly number[]): Promise<(StoredDocument | undefined)[]> {
    const found = new Map<number, StoredDocument>();
    for (let first = 0; first < numbers.length; first += DOCUMENTS_AT_ONCE) {
      const { result } = await this.#http.json<Result<Point[]>>(`${path(version)}/points`, {
        method: 'POST',
        body: JSON.stringify({
          ids: numbers.slice(first, first + DOCUMENTS_AT_ONCE),
          with_payload: true,
          with_vector: true,
        }),
      });
      for (const { id, payload, vector } of result) {
        const rows = Float32Array.from((vector?.rows ?? []).flat());
        found.set(id, { ...documentOf(payload), rows });
      }
    }
    return numbers.map((number) => found.get(number));
  }

  async find(version: string, ids: readonly string[]): Promise<(EngineDocument | undefined)[]> {
    const found = new Map<string, EngineDocument>();
    for (let first = 0; first < ids.length; first += DOCUMENTS_AT_ONCE) {
      const wanted = ids.slice(first, first + DOCUMENTS_AT_ONCE);
      const { result } = await this.#http.json<Result<{ points: Point[] }>>(
        `${path(version)}/points/scroll`,
        {
          method: 'POST',
          body: JSON.stringify({
            filter: { must: [{ key: 'id', match: { any: wanted } }] },
            limit: wanted.length,
            with_payload: { exclude: Object.values(PAYLOAD) },
          }),
        },
      );
      for (const { payload } of result.points) {
        const document = documentOf(payload);
        found.set(document.id, document);
      }
    }
    return ids.map((id) => found.get(id));
  }

  async *scan(version: string): AsyncGenerator<EngineDocument> {
    let offset: number | null = 0;
    while (offset !== null) {
      type Page = Result<{ points: Point[]; next_page_offset: number | null }>;
      const { result }: Page = await this.#http.json<Page>(`${path(version)}/points/scroll`, {
        method: 'POST',
        body: JSON.stringify({
          offset,
          limit: DOCUMENTS_AT_ONCE,
          with_payload: { include: ['id', 'metadata'] },
        }),
      });
      for (const { payload } of result.points) yield documentOf(payload);
      offset = result.next_page_offset;
    }
  }

  async point(name: string, version: string): Promise<void> {
    const before = await this.current(name);
    if (before === version) return;
    const actions = [
      ...(before === undefined ? [] : [{ delete_alias: { alias_name: name } }]),
      { create_alias: { collection_name: version, alias_name: name } },
    ];
    await this.#http
      .json(`/collections/aliases?timeout=${CONSENSUS_SECONDS}`, {
        method: 'POST',
        body: JSON.stringify({ actions }),
        tryMs: CONSENSUS_MS,
      })
      .catch(async (error) => {
        // A try before has done it, and its answer was lost.
        if ((await this.current(name)) !== version) throw error;
      });
  }

  async remove(version: string): Promise<void> {
    this.#shapes.delete(version);
    await this.#http.maybe(`${path(version)}?timeout=${CONSENSUS_SECONDS}`, {
      method: 'DELETE',
      mayBeMissing: true,
      tryMs: CONSENSUS_MS,
    });
  }

  async close(): Promise<void> {}

  async #shape(version: string): Promise<VersionShape> {
    const known = this.#shapes.get(version);
    if (known) return known;
    const description = await this.describe(version);
    if (!description) throw missing(version);
    this.#shapes.set(version, description.shape);
    return description.shape;
  }

  async #existing(version: string): Promise<CollectionInfo> {
    const info = await this.#info(version);
    if (!info) throw missing(version);
    return info;
  }

  async #info(version: string): Promise<CollectionInfo | undefined> {
    return (await this.#http.maybe<Result<CollectionInfo>>(path(version), { mayBeMissing: true }))?.result;
  }

  async #change(version: string, changes: unknown): Promise<void> {
    await this.#http.json(`${path(version)}?timeout=${CONSENSUS_SECONDS}`, {
      method: 'PATCH',
      body: JSON.stringify(changes),
      tryMs: CONSENSUS_MS,
    });
  }

  /** What copies of parts lack. */
  async #copiesNote(version: string): Promise<string | undefined> {
    type Shards = Record<'local_shards' | 'remote_shards', { shard_id: number; state: string }[]>;
    const cluster = await this.#http.maybe<Result<Shards>>(`${path(version)}/cluster`, {
      mayBeMissing: true,
    });
    const shards = [...(cluster?.result.local_shards ?? []), ...(cluster?.result.remote_shards ?? [])];
    const dead = shards.filter(({ state }) => state !== 'Active').length;
    if (dead > 0) return `${dead} copies of parts are out of service`;
    const { replicas = 1 } = await this.#shape(version);
    const parts = new Set(shards.map(({ shard_id }) => shard_id));
    const missing = replicas * parts.size - shards.length;
    return missing > 0
      ? `${missing} of ${replicas * parts.size} copies of parts are not there: ${replicas} copies of each need as many machines`
      : undefined;
  }

  async #filter(version: string, tree: FilterTree, signal?: AbortSignal): Promise<Record<string, unknown>> {
    const texts = new Map<string, readonly string[]>();
    for (const field of new Set(textRanges(tree)))
      texts.set(field, await this.#textsOf(version, field, signal));
    return qdrantFilter(tree, ({ field, compare, bound }) =>
      texts.get(field)!.filter((text) => isBeyond(text, compare, bound)),
    );
  }

  /** All texts of a field: Qdrant compares no texts, so ranges are made of those that there are. */
  async #textsOf(version: string, field: string, signal?: AbortSignal): Promise<readonly string[]> {
    const key = `${version}\n${field}`;
    const known = this.#texts.get(key);
    if (known) return known;
    type Facets = Result<{ hits: { value: string }[] }>;
    const { result } = await this.#http
      .json<Facets>(`${path(version)}/facet`, {
        method: 'POST',
        body: JSON.stringify({ key: fieldPath('texts', field), limit: MOST_TEXTS_OF_RANGE + 1, exact: true }),
        signal,
      })
      .catch((error) => {
        // A field without an index is one that no document has a text of, or one beyond the most indexed.
        if (!/index/i.test((error as Error).message)) throw error;
        return { result: { hits: [] } };
      });
    if (result.hits.length > MOST_TEXTS_OF_RANGE) {
      throw new NearmissError(
        `filter.${field}: expected at most ${MOST_TEXTS_OF_RANGE} different texts to compare with a bound, got more`,
        { hint: 'give the documents a number (a date as a number of days, say), and compare that' },
      );
    }
    const texts = result.hits.map(({ value }) => value);
    this.#texts.set(key, texts);
    return texts;
  }
}

function path(version: string): string {
  return `/collections/${encodeURIComponent(version)}`;
}

function missing(version: string): NearmissError {
  return new NearmissError(`Qdrant has no collection ${version}`, {
    hint: 'push it again: nearmiss push RUN --to qdrant://HOST:PORT/NAME',
  });
}
