import { NearmissError } from '../../../base/errors.js';
import { exists } from '../../../base/files.js';
import { count, Progress } from '../../../base/progress.js';
import { TokenSteps } from '../../../index/tokens/token-steps.js';
import { centroidsFor, sampleSize } from '../../../index/tokens/train-codebook.js';
import {
  type Documents,
  documentFiles,
  documentsFromIds,
  type VectorIndexMetadata,
  vectorIndexBytes,
  wholeVectorsBytes,
  writeVectorIndex,
} from '../../../index/vectors/index.js';
import { writeDocumentIndex } from '../../../index/write-documents.js';
import { idsPath, type VectorFile } from '../../../model/tensors/vector-file.js';
import { tell } from '../../output.js';
import { BITS, type IndexFlags } from './index-flags.js';

/** Vectors read and added at once. */
const BLOCK_ROWS = 8192;

/** Reads the vectors into an index, and says before what it will cost. */
export async function buildIndex(
  file: VectorFile,
  out: string,
  flags: IndexFlags,
): Promise<{ metadata: VectorIndexMetadata; documents: number }> {
  const ids = idsPath(file.path);
  const hasIds = await exists(ids);
  const documents: Documents = hasIds ? documentsFromIds(await file.ids(), ids) : {};
  if (flags.scorer === 'poly' && documents.ids && documents.ids.size < file.rows) {
    throw new NearmissError(
      `${ids}: expected one vector a document, as a Poly-encoder makes, got ${file.rows} of ${documents.ids.size} documents`,
      { hint: 'leave out --scorer: a document with several vectors is found by its best one' },
    );
  }
  if (!flags.quiet) {
    tell(`${announce(file, flags)}\n`);
    if (!hasIds) tell(`${ids} is not there: documents are numbered from 0\n`);
  }
  const { quiet } = flags;
  const progress = new Progress({ label: 'index', unit: 'vectors', total: file.rows, quiet });
  async function* blocks(): AsyncGenerator<Float32Array> {
    for await (const block of file.blocks(BLOCK_ROWS)) {
      yield block;
      progress.advance(block.length / file.dimension);
    }
  }
  const { type, bits, ...rest } = flags;
  const options = { ...rest, dimension: file.dimension, source: file.path };
  if (type === 'tokens') {
    const offsets = documents.offsets ?? Uint32Array.from({ length: file.rows + 1 }, (_, row) => row);
    const kept = BITS[bits ?? 4];
    const steps = new TokenSteps((step) => {
      const bar = new Progress({ ...step, quiet });
      bar.begin();
      return bar;
    });
    // What is compressed is read several times, in steps of its own.
    const source = {
      ...documents,
      offsets,
      blocks: kept === 'exact' ? blocks : () => file.blocks(BLOCK_ROWS),
    };
    const metadata = await writeDocumentIndex(out, source, {
      ...options,
      bits: kept,
      scorer: 'max-sim',
      onProgress: steps.onProgress,
    });
    if (kept === 'exact') progress.finish();
    steps.finish();
    return { metadata, documents: offsets.length - 1 };
  }
  const metadata = await writeVectorIndex(out, blocks(), {
    ...options,
    type,
    extra: documentFiles(documents),
  });
  progress.finish();
  return { metadata, documents: documents.ids?.size ?? metadata.count };
}

/** What it will cost, said before it is spent. */
function announce(file: VectorFile, flags: IndexFlags): string {
  const { storage, connectivity, dimensions, lists } = flags;
  const bits = BITS[flags.bits ?? 4];
  const { rows, dimension } = file;
  if (flags.type === 'tokens' && bits !== 'exact') {
    const centroids = centroidsFor(rows);
    const parameters = { rows, bits, centroids };
    const bytes = vectorIndexBytes({ type: 'tokens', storage: 'f32', count: rows, dimension, parameters });
    const learning = megabytes(4 * sampleSize(rows) * dimension);
    return `index ${count(rows)} tokens of ${dimension} in ${bits} bits with ${count(centroids)} centroids: about ${megabytes(bytes)} on disk, ${learning} of memory to learn them from`;
  }
  const type = flags.type === 'tokens' ? 'flat' : flags.type;
  const parameters = { ...(dimensions && { dimensions }), ...(lists && { lists }) };
  const cost = { type, storage, count: rows, dimension, connectivity, parameters };
  const whole = wholeVectorsBytes(cost);
  const where =
    type === 'hnsw'
      ? 'of memory while it is built, and on disk'
      : `on disk, and in memory when it is searched${whole > 0 ? `; ${megabytes(whole)} more on disk` : ''}`;
  const what = `${type} ${storage}${dimensions ? `, the first ${dimensions} numbers` : ''}`;
  return `index ${count(rows)} vectors of ${dimension} as ${what}: about ${megabytes(vectorIndexBytes(cost))} ${where}`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
