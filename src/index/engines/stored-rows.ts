import { NearmissError } from '../../base/errors.js';
import type { IdTable } from '../../data/id-table.js';
import { oneRowEach } from '../../model/encoder/encoded-texts.js';
import { ImpactIndex } from '../impacts/impact-index.js';
import { impactRows } from '../impacts/impact-rows.js';
import { QuantizedIndex } from '../quantized/quantized-index.js';
import { TokenIndex } from '../tokens/token-index.js';
import type { TokenSource } from '../tokens/write-token-index.js';
import { readDocumentFiles, readRowDocuments } from '../vectors/document-files.js';
import { FlatIndex } from '../vectors/flat.js';
import type { IndexFolder } from '../vectors/index-folder.js';
import { decodeRows } from '../vectors/row-codec.js';
import { VectorCut } from '../vectors/vector-cut.js';
import { connectEngine } from './connect.js';

/** The rows of an index as it has them, to be put elsewhere. */
export interface StoredRows extends TokenSource {
  ids: IdTable | undefined;
  close(): Promise<void>;
}

/** Numbers of a block of weights. */
const BLOCK = 2 ** 18;
/** Documents read at once. */
const AT_ONCE = 500;

/** Opens the rows of an index folder. */
export async function openStoredRows(folder: IndexFolder): Promise<StoredRows> {
  const { metadata } = folder;
  const { ids } = await readDocumentFiles(folder);
  if (metadata.type === 'flat' || metadata.type === 'int8' || metadata.type === 'binary') {
    const { kept } = VectorCut.of(metadata);
    if (metadata.type === 'flat' && kept < metadata.dimension) throw isCut(folder, kept);
    const index = await (metadata.type === 'flat' ? FlatIndex : QuantizedIndex).open(folder, {
      access: 'disk',
    });
    const { offsets } = await readRowDocuments(folder, ids?.size);
    return {
      ids,
      offsets: offsets ?? oneRowEach(metadata.count),
      async *blocks() {
        for await (const { data, rows } of index.blocks()) {
          const block = new Float32Array(rows * metadata.dimension);
          decodeRows(data.subarray(0, block.length), block);
          yield block;
        }
      },
      close: () => index.close(),
    };
  }
  if (metadata.type === 'tokens') {
    const tokens = await TokenIndex.open(folder, { access: 'disk' });
    return {
      ids,
      offsets: tokens.offsets,
      async *blocks() {
        for (let document = 0; document < metadata.count; document++) yield tokens.rowsOf(document);
      },
      close: () => tokens.close(),
    };
  }
  if (metadata.type === 'impacts') {
    const impacts = await ImpactIndex.open(folder);
    const { offsets, rows } = impactRows(impacts);
    return {
      ids,
      offsets,
      async *blocks() {
        for (let at = 0; at < rows.length; at += BLOCK) yield rows.subarray(at, at + BLOCK);
      },
      close: () => impacts.close(),
    };
  }
  if (metadata.type === 'remote' && metadata.scorer !== 'impact') return openRemoteRows(folder, ids);
  const what = metadata.type === 'remote' ? 'an engine' : `a graph of ${metadata.storage}`;
  throw new NearmissError(`${folder.path}: ${what} does not give its vectors back`, {
    hint: 'push an index of the type flat: nearmiss index VECTORS OUT, or refresh.index.type=flat in the recipe',
  });
}

/** Queries come whole to an engine, and would not be cut as the rows were. */
function isCut({ path, metadata }: IndexFolder, kept: number): NearmissError {
  return new NearmissError(`${path}: has ${kept} of the ${metadata.dimension} numbers of each vector`, {
    hint: 'push an index of whole vectors: without --dimensions or refresh.index.dimensions, or of the type int8 or binary, which keep them on disk',
  });
}

/** Those of another version of an engine. */
async function openRemoteRows({ metadata }: IndexFolder, ids: IdTable | undefined): Promise<StoredRows> {
  const { address, version } = metadata.remote!;
  const connection = await connectEngine(address);
  const rowsFrom = async (first: number): Promise<Float32Array[]> => {
    const numbers = Array.from({ length: Math.min(AT_ONCE, metadata.count - first) }, (_, i) => first + i);
    return (await connection.read(version, numbers)).map((stored) => stored?.rows ?? new Float32Array(0));
  };
  const offsets = new Uint32Array(metadata.count + 1);
  for (let first = 0; first < metadata.count; first += AT_ONCE) {
    (await rowsFrom(first)).forEach((rows, i) => {
      offsets[first + i + 1] = offsets[first + i] + rows.length / metadata.dimension;
    });
  }
  return {
    ids,
    offsets,
    async *blocks() {
      for (let first = 0; first < metadata.count; first += AT_ONCE) yield* await rowsFrom(first);
    },
    close: () => connection.close(),
  };
}
