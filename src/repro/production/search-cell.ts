import { join } from 'node:path';
import { exists } from '../../base/files.js';
import { fullText, type Query } from '../../data/dataset.js';
import { type Ranking, type Run, readRun, writeRun } from '../../evaluate/index.js';
import {
  createVectorIndex,
  type FlatIndex,
  openVectorIndex,
  writeVectorIndex,
} from '../../index/vectors/index.js';
import { decodeRows } from '../../index/vectors/row-codec.js';
import { encodeCollection } from '../../model/encoder/collection/encode-collection.js';
import { onlyRows } from '../../model/encoder/encoded-texts.js';
import { loadSide } from '../../model/folder/tower-folders.js';
import { Encoder } from '../../model/index.js';
import { modelFolder } from '../../run/model-folder.js';
import type { RunDirectory } from '../../run/run-directory.js';
import type { SEARCHES } from './cells.js';
import type { GrownCorpus } from './corpus.js';

/** How deep searches go. */
const DEPTH = 100;
const TEXTS_AT_ONCE = 1024;

export interface SearchedModel {
  run: RunDirectory;
  step: number;
  corpus: GrownCorpus;
  /** The most documents that are searched: as many are encoded. */
  largest: number;
  split: string;
  threads?: number;
}

/** What a trained model finds for the queries of a split among a corpus that grows. Vectors and what was found are kept. */
export class ModelSearch {
  readonly #options: SearchedModel;
  readonly #folder: string;

  constructor(options: SearchedModel) {
    this.#options = options;
    this.#folder = options.run.file('production', `${options.step}-${options.corpus.fingerprint}`);
  }

  /** The ranking of all queries by one kind of index over the first `size` documents. */
  async find({ name, index: type }: (typeof SEARCHES)[number], size: number, kept?: number): Promise<Run> {
    const { split, threads } = this.#options;
    const path = join(this.#folder, `${split}-${size}-${name}.trec`);
    if (await exists(path)) return readRun(path);
    const vectors = await this.#vectors();
    const { dimension } = vectors.metadata;
    const builder = createVectorIndex({ ...type, dimension, dimensions: kept, threads });
    const rows = new Float32Array(TEXTS_AT_ONCE * dimension);
    for await (const block of vectors.blocks()) {
      for (let first = 0; first < block.rows && builder.count < size; first += TEXTS_AT_ONCE) {
        const some = Math.min(TEXTS_AT_ONCE, block.rows - first, size - builder.count);
        const part = rows.subarray(0, some * dimension);
        decodeRows(block.data.subarray(first * dimension, (first + some) * dimension), part);
        await builder.add(part);
      }
    }
    await vectors.close();
    const index = await builder.finish();
    const queries: Query[] = [];
    for await (const query of this.#options.corpus.own.queries(split)) queries.push(query);
    const found = await index.search(await this.#encodeQueries(queries), { k: Math.min(DEPTH, size) });
    await index.close();
    const run = { tag: name, rankings: await this.#named(queries, found) };
    await writeRun(path, run);
    return run;
  }

  /** The vectors of all documents that are searched, encoded once. */
  async #vectors(): Promise<FlatIndex> {
    const { run, step, corpus, largest, threads } = this.#options;
    const folder = join(this.#folder, `vectors-${largest}`);
    if (!(await exists(folder))) {
      const encoder = await Encoder.create(await loadSide(await modelFolder(run, step), 'documents'), {
        session: { threads },
      });
      const shards = encodeCollection(corpus.documents(largest), {
        encode: (documents, onBatch) => encoder.encode(documents.map(fullText), { use: 'document', onBatch }),
        shardSize: TEXTS_AT_ONCE,
      });
      async function* blocks(): AsyncGenerator<Float32Array> {
        for await (const { members: _, ...encoded } of shards) yield onlyRows(encoded);
      }
      await writeVectorIndex(folder, blocks(), { dimension: encoder.dimension }).finally(() =>
        encoder.release(),
      );
    }
    return (await openVectorIndex(folder, { access: 'disk', threads })) as FlatIndex;
  }

  async #encodeQueries(queries: readonly Query[]): Promise<Float32Array> {
    const { run, step, threads } = this.#options;
    const encoder = await Encoder.create(await loadSide(await modelFolder(run, step), 'queries'), {
      session: { threads },
    });
    const encoded = await encoder
      .encode(
        queries.map(({ text }) => text),
        { use: 'query' },
      )
      .finally(() => encoder.release());
    return onlyRows(encoded);
  }

  async #named(
    queries: readonly Query[],
    { ids, scores, k }: { ids: Int32Array; scores: Float32Array; k: number },
  ): Promise<Map<string, Ranking>> {
    const names: string[] = [];
    for await (const { id } of this.#options.corpus.documents(Math.max(0, ...ids) + 1)) names.push(id);
    return new Map(
      queries.map(({ id }, query) => {
        const found = ids.subarray(query * k, (query + 1) * k).filter((document) => document >= 0);
        const ranking: Ranking = {
          ids: Array.from(found, (document) => names[document]),
          scores: Float64Array.from(scores.subarray(query * k, query * k + found.length)),
        };
        return [id, ranking];
      }),
    );
  }
}
