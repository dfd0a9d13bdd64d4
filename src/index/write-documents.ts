import { NearmissError } from '../base/errors.js';
import { type BuildVectorIndexOptions, writeVectorIndex } from './build-vectors.js';
import type { EngineSettings } from './engines/engine.js';
import { writeImpactIndex } from './impacts/write-impact-index.js';
import type { TokenBits } from './tokens/residual-codec.js';
import { type OnTokenProgress, type TokenSource, writeTokenIndex } from './tokens/write-token-index.js';
import { withToldRows } from './told-rows.js';
import { documentFiles } from './vectors/document-files.js';
import { DIGESTS_FILE } from './vectors/text-digests.js';
import type { FolderFiles, IndexType, SaveOptions, VectorIndexMetadata } from './vectors/vector-index.js';

/** Rows of documents that are compared one by one as they are; of more, an index of compressed tokens is made. */
const MOST_EXACT_ROWS = 2 ** 18;

export interface WriteDocumentsOptions
  extends Omit<BuildVectorIndexOptions, 'scorer' | 'type'>,
    Omit<EngineSettings, 'storage'>,
    SaveOptions {
  /** Default `flat`; or an engine that `url` is an address of. */
  type?: string;
  /** Of an engine: its address, with a name at its end. */
  url?: string;
  /** The scorer that compares the rows of queries with these. Default: the best inner product. */
  scorer?: string;
  /**
   * For late interaction: bits kept of each component of a row, `exact` for rows as they are. Default `auto`: exact up to
   * 262,144 rows, then 4.
   */
  bits?: TokenBits | 'exact' | 'auto';
  onProgress?: OnTokenProgress;
  signal?: AbortSignal;
}

/**
 * Writes the index that finds documents by their rows as a scorer compares them: an index of vectors, or of tokens for late
 * interaction, or an inverted one of terms and weights. It appears when it is complete.
 */
export async function writeDocumentIndex(
  folder: string,
  documents: TokenSource,
  { scorer, bits = 'auto', onProgress, signal, ...options }: WriteDocumentsOptions,
): Promise<VectorIndexMetadata> {
  const source = withToldRows(documents, options.dimension);
  const { offsets, ids, digests } = source;
  const { url, type: given, shards, replicas, quantization, exact: compareAll, ...rest } = options;
  if (url !== undefined) {
    const { dimension, model, overwrite, storage } = options;
    const { writeRemoteIndex } = await import('./engines/write-remote-index.js');
    return writeRemoteIndex(folder, source, {
      ...{
        url,
        dimension,
        model,
        scorer,
        overwrite,
        shards,
        replicas,
        quantization,
        exact: compareAll,
        signal,
      },
      storage: storage === 'i8' ? 'f32' : storage,
    });
  }
  const type = given as IndexType | undefined;
  const exact = scorer === 'max-sim' || scorer === 'poly';
  const { dimensions } = rest;
  if (exact && type !== undefined && type !== 'flat') {
    throw new NearmissError(
      `an index of type ${type} cannot compare several rows of a query, as ${scorer} does`,
      {
        hint: 'use the type flat',
      },
    );
  }
  if (exact && dimensions !== undefined) {
    throw new NearmissError(`dimensions: rows that ${scorer} compares are kept whole, got ${dimensions}`, {
      hint: 'leave it out; model.head.projection makes rows shorter',
    });
  }
  const rows = offsets[offsets.length - 1];
  const extra = async (files: FolderFiles): Promise<void> => {
    await documentFiles({ offsets, ids })(files);
    if (digests) await files.write(DIGESTS_FILE, [digests]);
  };
  if (scorer === 'max-sim' && bits !== 'exact' && (bits !== 'auto' || rows > MOST_EXACT_ROWS)) {
    const { dimension, model, overwrite, session, threads } = rest;
    return writeTokenIndex(folder, source, {
      dimension,
      bits: bits === 'auto' ? 4 : bits,
      model,
      overwrite,
      session: { threads, ...session },
      onProgress,
      signal,
    });
  }
  if (scorer === 'impact') {
    const { model, overwrite } = options;
    return writeImpactIndex(folder, source, { model, overwrite, signal });
  }
  return writeVectorIndex(folder, source.blocks(), { ...rest, type, ...(exact && { scorer }), extra });
}
