import { NearmissError } from '../../base/errors.js';
import { CREATED_BY } from '../../base/version.js';
import { openDataset } from '../../data/open.js';
import { parseEngineAddress } from '../../index/engines/address.js';
import { documentBatches } from '../../index/engines/document-batches.js';
import type { EngineConnection, EngineDocument, EngineSettings } from '../../index/engines/engine.js';
import { engines } from '../../index/engines/kinds.js';
import { fingerprintOf, loadVersion } from '../../index/engines/load-version.js';
import { openStoredRows } from '../../index/engines/stored-rows.js';
import { findableOf, partsFor, shapeFor } from '../../index/engines/write-remote-index.js';
import { IndexFolder } from '../../index/vectors/index-folder.js';
import { StoredDocuments } from '../documents/stored-documents.js';
import { type EmbedderInfo, LocalEmbedder } from '../embedder.js';
import { documentFields } from '../filter/filter-tree.js';
import { openSearcher } from '../open/open-searcher.js';
import { resolveTarget, type Target } from '../open/target.js';
import { vectorsFolder } from '../open/vectors-folder.js';
import type { OpenSearcherOptions } from '../searcher.js';

export interface PushOptions
  extends EngineSettings,
    Pick<
      OpenSearcherOptions,
      'data' | 'model' | 'collectionModel' | 'cache' | 'onProgress' | 'onNote' | 'signal'
    > {
  /** The address of an engine: `qdrant://HOST:PORT/NAME`, `postgres://HOST:PORT/DATABASE/NAME`; without a name, the target's. */
  to: string;
  /** Also sends titles and texts, so that whoever searches needs no collection. Default true. */
  texts?: boolean;
}

export interface Pushed {
  name: string;
  version: string;
  documents: number;
  /** Vectors of all documents; of sparse ones, weights of terms. */
  rows: number;
  /** Of dense vectors. */
  dimension?: number;
  /** Versions that nobody points to any more. */
  removed: string[];
}

/**
 * Puts a run, an index or a collection into an engine and lets its name point there: until then whoever searches the name finds what
 * was there before. The version before stays for those who are still searching it; older ones are removed.
 */
export async function push(path: string, options: PushOptions): Promise<Pushed> {
  const { to, texts = true, onProgress, onNote, signal } = options;
  const address = parseEngineAddress(to, '--to');
  const target = await resolveTarget(path, options);
  const name = address.name ?? target.name.replace(/[^a-zA-Z0-9_-]+/g, '-');
  const info = await modelInfo(target);
  const store = await openStore(target, options);
  try {
    const folder = await IndexFolder.open(await encodedFolder(path, target, info, store, options));
    const { metadata } = folder;
    const rows = await openStoredRows(folder);
    const connection = await engines
      .get(address.engine)
      .connect(address)
      .catch(async (error) => {
        await rows.close();
        throw error;
      });
    try {
      const { storage, shards, replicas, quantization, exact } = options;
      const { dimension } = metadata;
      const { offsets } = rows;
      const scorer = metadata.type === 'tokens' ? 'max-sim' : metadata.scorer;
      const settings = { storage, shards, replicas, quantization, exact, dimension };
      const shape = shapeFor(scorer, offsets, settings);
      const count = offsets.length - 1;
      const progress = onProgress?.({ label: `push to ${name}`, unit: 'documents', total: count, place: to });
      const version = await loadVersion(connection, {
        name,
        description: {
          shape,
          count,
          findable: findableOf(offsets),
          fingerprint: fingerprintOf([metadata.fingerprint, shape, store?.content, texts]),
          model: info?.name ?? metadata.model,
          weights: info?.fingerprint,
          documents: store !== undefined,
          createdBy: CREATED_BY,
        },
        async *batches() {
          for await (const batch of documentBatches(rows.blocks(), offsets, dimension)) {
            const ids = Array.from(
              { length: batch.count },
              (_, i) => rows.ids?.idAt(batch.first + i) ?? String(batch.first + i),
            );
            yield { ...partsFor(shape, batch), documents: await described(ids, store, texts) };
          }
        },
        onProgress: (done) => progress?.advance(done),
        onNote,
        signal,
      });
      progress?.finish();
      const before = await connection.current(name);
      await connection.point(name, version);
      const removed = await removeOld(connection, name, [version, before]);
      return { name, version, documents: count, rows: offsets[count], dimension: shape.dimension, removed };
    } finally {
      await connection.close();
      await rows.close();
    }
  } finally {
    await store?.close();
  }
}

async function modelInfo({ model }: Target): Promise<EmbedderInfo | undefined> {
  if (model === undefined) return undefined;
  const embedder = await LocalEmbedder.open(model);
  await embedder.close();
  return embedder.info;
}

async function openStore(
  { data, cache }: Target,
  options: PushOptions,
): Promise<StoredDocuments | undefined> {
  if (data === undefined) {
    options.onNote?.(
      'without a collection (--data) documents are pushed without texts and cannot be filtered',
    );
    return undefined;
  }
  return StoredDocuments.open(`${cache}/documents`, await openDataset(data), {
    onBuild: () =>
      options.onProgress?.({ label: 'store documents', unit: 'documents', place: cache }) ?? NOBODY,
  });
}

/** The folder that has the vectors; a collection is encoded first, as a search of it would do. */
async function encodedFolder(
  path: string,
  { vectors, cache }: Target,
  info: EmbedderInfo | undefined,
  store: StoredDocuments | undefined,
  options: PushOptions,
): Promise<string> {
  if (vectors !== undefined) return vectors;
  if (info === undefined || store === undefined) {
    throw new NearmissError(`${path}: there are no vectors here to push`, {
      hint: 'name a run with a measured model, a vector index, or a collection with --model',
    });
  }
  const { model, collectionModel, data, onProgress, onNote, signal } = options;
  const modes = ['dense'];
  await (
    await openSearcher(path, { model, collectionModel, data, cache, modes, onProgress, onNote, signal })
  ).close();
  return vectorsFolder(cache, info, store.content).folder;
}

async function described(
  ids: readonly string[],
  store: StoredDocuments | undefined,
  texts: boolean,
): Promise<EngineDocument[]> {
  if (store === undefined) return ids.map((id) => ({ id }));
  return (await store.getAll(ids)).map((document, i) => {
    const { title, text, metadata } = document ?? {};
    return {
      id: ids[i],
      ...(texts && { title, text }),
      metadata,
      fields: documentFields(metadata),
    };
  });
}

/** Versions that were pushed and that neither the name nor those who still search the last one need. */
async function removeOld(
  connection: EngineConnection,
  name: string,
  kept: readonly (string | undefined)[],
): Promise<string[]> {
  const removed: string[] = [];
  for (const version of await connection.versions(name)) {
    if (kept.includes(version)) continue;
    const description = await connection.describe(version);
    // One that is not complete may be on its way, and those of a training are its own.
    if (!description?.complete || !description.documents) continue;
    await connection.remove(version);
    removed.push(version);
  }
  return removed;
}

const NOBODY = { advance: (): void => {}, finish: (): void => {} };
