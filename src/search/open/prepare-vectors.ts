import { secondsSince } from '../../base/numbers/seconds-since.js';
import { type Document, fullText } from '../../data/dataset.js';
import type { SourcesDataset } from '../../data/sources-dataset.js';
import type { DocumentIndex } from '../../index/vectors/document-index.js';
import type { RowsByText } from '../../index/vectors/text-digests.js';
import { type EncodedShard, encodeCollection } from '../../model/encoder/collection/encode-collection.js';
import { ShardFolder } from '../../model/encoder/collection/shard-folder.js';
import { OffsetsBuilder, rowsOf, stackRows } from '../../model/encoder/encoded-texts.js';
import { madeWith } from '../../model/precision/precision.js';
import type { StoredDocuments } from '../documents/stored-documents.js';
import type { Embedder } from '../embedder.js';
import type { EncodingWork } from '../searcher.js';
import { openKept } from './kept-folder.js';
import type { Preparation } from './prepare.js';
import { vectorsFolder } from './vectors-folder.js';

/** Documents written at once: what is lost when it is killed. */
const DOCUMENTS_KEPT_AT_ONCE = 256;
/** Documents encoded at once: progress is told, and a wish to stop is heard, after each of these. */
const DOCUMENTS_AT_ONCE = 16;

/**
 * The vectors of a collection, made once for each of its texts and models; undefined where they would have to be made
 * and `mayEncode` says no.
 *
 * @param openIndex opens the folder that has them
 */
export async function prepareVectors(
  preparation: Preparation,
  embedder: Embedder,
  openIndex: (folder: string) => Promise<DocumentIndex>,
): Promise<DocumentIndex | undefined> {
  const { dataset, store, cache, onProgress, onNote, mayEncode, signal } = preparation;
  const { name, dimension, scorer } = embedder.info;
  const { folder, prefix } = vectorsFolder(cache, embedder.info, store.content);
  const withFormer = async <T>(work: (former: RowsByText | undefined) => Promise<T>): Promise<T> => {
    const { openFormerVectors } = await import('./former-vectors.js');
    const former = await openFormerVectors(folder, prefix, embedder.info);
    return work(former).finally(() => former?.close());
  };
  const mayMake = async (): Promise<boolean> => {
    if (!mayEncode) return true;
    const { countNew } = await import('./former-vectors.js');
    const documents = await withFormer((former) => countNew(store, former));
    return mayEncode(encodingWork(store, embedder, { place: folder, documents }));
  };
  const makeFrom = async (former: RowsByText | undefined): Promise<void> => {
    const [{ documentsFromIds }, { textDigests }, { writeDocumentIndex }, { TokenSteps }] = await Promise.all(
      [
        import('../../index/vectors/index.js'),
        import('../../index/vectors/text-digests.js'),
        import('../../index/write-documents.js'),
        import('../../index/tokens/token-steps.js'),
      ],
    );
    const step = { label: `encode with ${name}`, unit: 'documents', total: store.count, place: folder };
    const progress = onProgress?.(step);
    const keep = new ShardFolder(`${folder}.shards`, { dimension });
    const rows = new OffsetsBuilder();
    const digests: Buffer[] = [];
    const onBatch = (done: number): void => tell(before + done);
    let before = 0;
    let told = 0;
    const tell = (done: number): void => {
      if (done > told) progress?.advance(done - told);
      told = done;
    };
    for await (const shard of encodeDocuments(dataset, embedder, { keep, former, signal, onBatch })) {
      rows.add(shard);
      digests.push(textDigests(shard.members.map(fullText)));
      before += shard.members.length;
      // Those that were found again are told of now.
      tell(before);
    }
    // What was encoded is read from where it was kept, once or twice.
    async function* vectors(): AsyncGenerator<Float32Array> {
      for await (const shard of encodeDocuments(dataset, embedder, {
        ...{ keep, former, signal },
        onBatch: () => undefined,
      })) {
        yield shard.vectors;
      }
    }
    const { ids } = documentsFromIds(store.ids(), folder);
    const source = { offsets: rows.build(), blocks: vectors, ids, digests: Buffer.concat(digests) };
    progress?.finish();
    const steps = new TokenSteps((each) => onProgress?.({ ...each, place: folder }));
    await writeDocumentIndex(folder, source, {
      dimension,
      model: madeWith(name, embedder.info.precision),
      scorer,
      signal,
      onProgress: steps.onProgress,
    });
    steps.finish();
    await keep.remove();
  };
  const make = (): Promise<void> => withFormer(makeFrom);
  return openKept({ folder, prefix, make, open: () => openIndex(folder), onNote, signal }, mayMake);
}

interface EncodeOptions {
  keep: ShardFolder;
  /** Has the rows of texts that were encoded before. */
  former: RowsByText | undefined;
  signal?: AbortSignal;
  /** Told how many documents of the shard at hand are done. */
  onBatch: (done: number) => void;
}

function encodeDocuments(
  dataset: SourcesDataset,
  embedder: Embedder,
  { keep, former, signal, onBatch }: EncodeOptions,
): AsyncGenerator<EncodedShard<Document>> {
  return encodeCollection(dataset.documents(), {
    encode: async (documents) => {
      const texts = documents.map(fullText);
      const rows: Float32Array[] = new Array(texts.length);
      const left: number[] = [];
      for (const [i, text] of texts.entries()) {
        const known = await former?.rows(text);
        if (known) rows[i] = known;
        else left.push(i);
      }
      const found = texts.length - left.length;
      // Texts of similar length together: what is encoded at once is padded to its longest.
      const order = left.sort((a, b) => texts[b].length - texts[a].length || a - b);
      for (let start = 0; start < order.length; start += DOCUMENTS_AT_ONCE) {
        signal?.throwIfAborted();
        const part = order.slice(start, start + DOCUMENTS_AT_ONCE);
        const encoded = await embedder.encode(
          part.map((i) => texts[i]),
          'document',
        );
        part.forEach((i, text) => {
          rows[i] = rowsOf(encoded, text);
        });
        onBatch(found + start + part.length);
      }
      return stackRows(rows, embedder.info.dimension);
    },
    shardSize: DOCUMENTS_KEPT_AT_ONCE,
    charactersOf: ({ text }) => text.length,
    keep,
    signal,
  });
}

/** What encoding would cost is found out by encoding a few documents, where somebody asks. */
function encodingWork(
  store: StoredDocuments,
  embedder: Embedder,
  { documents: total, place }: Pick<EncodingWork, 'documents' | 'place'>,
): EncodingWork {
  return {
    model: embedder.info.name,
    documents: total,
    place,
    async estimateSeconds() {
      if (total === 0) return 0;
      const step = Math.max(1, Math.floor(store.count / DOCUMENTS_AT_ONCE));
      const ids = [...store.ids()].filter((_, i) => i % step === 0).slice(0, DOCUMENTS_AT_ONCE);
      const documents = await store.getAll(ids);
      const texts = documents.flatMap((document) => (document ? [fullText(document)] : []));
      // The first call of a session costs more than those after it.
      await embedder.encode(texts.slice(0, 1), 'document');
      const start = performance.now();
      await embedder.encode(texts, 'document');
      return secondsSince(start) * (total / Math.max(1, texts.length));
    },
  };
}
