import { bytesOf } from '../../base/numbers/bytes-of.js';
import { CREATED_BY } from '../../base/version.js';
import type { IdTable } from '../../data/id-table.js';
import type { SessionOptions } from '../../engine/index.js';
import { documentFiles } from '../vectors/document-files.js';
import { type IndexFolderWriter, writeIndexFolder } from '../vectors/index-folder.js';
import type { SaveOptions, VectorIndexMetadata } from '../vectors/vector-index.js';
import { VectorIntake } from '../vectors/vector-intake.js';
import type { Codebook, TokenBits } from './residual-codec.js';
import { RESIDUAL_BLOCK } from './residuals.js';
import { RowPacker } from './row-packer.js';
import { TOKEN_FILES } from './token-files.js';
import { sampleRows, trainCodebook } from './train-codebook.js';

/** Texts with many rows, which are read twice: once to learn what to pack them by, once to pack them. */
export interface TokenSource {
  /** The rows of document `i` are `offsets[i] … offsets[i + 1] - 1`. */
  offsets: Uint32Array;
  /** All rows in order, in blocks of whole rows; may be asked for again. */
  blocks(): AsyncIterable<Float32Array>;
  ids?: IdTable;
  /** Of the texts that rows are made of, so that those that come again need not be: see `textDigests`. */
  digests?: Uint8Array;
}

/** What is being done, of how much, for a progress bar. */
export type OnTokenProgress = (step: 'sample' | 'cluster' | 'pack', done: number, total: number) => void;

export interface WriteTokenIndexOptions extends SaveOptions {
  dimension: number;
  /** Default 4. */
  bits?: TokenBits;
  model?: string;
  seed?: number;
  session?: SessionOptions;
  onProgress?: OnTokenProgress;
  signal?: AbortSignal;
}

/** Builds an index for late interaction straight into a folder, which appears when it is complete. */
export async function writeTokenIndex(
  folder: string,
  source: TokenSource,
  options: WriteTokenIndexOptions,
): Promise<VectorIndexMetadata> {
  const { dimension, bits = 4, model, session, onProgress, signal } = options;
  const documents = source.offsets.length - 1;
  const rows = source.offsets[documents];
  const counted = (step: 'sample' | 'pack') =>
    countRows(source.blocks(), dimension, rows, signal, (done) => onProgress?.(step, done, rows));
  const sample = await sampleRows(counted('sample'), { dimension, rows, seed: options.seed });
  const codebook = await trainCodebook(sample, {
    dimension,
    bits,
    rows,
    seed: options.seed,
    session,
    onRound: (round, rounds) => {
      signal?.throwIfAborted();
      onProgress?.('cluster', round, rounds);
    },
  });
  return writeIndexFolder(folder, { ...options, extra: undefined }, async (writer) => {
    const { fingerprint } = await packRows(writer, counted('pack'), { codebook, rows, session });
    await writer.write(TOKEN_FILES.codewords, codebookBytes(codebook));
    await writer.write(TOKEN_FILES.offsets, [bytesOf(source.offsets)]);
    await documentFiles({ ids: source.ids })(writer);
    await options.extra?.(writer);
    return {
      type: 'tokens',
      dimension,
      count: documents,
      storage: 'f32',
      ...(model !== undefined && { model }),
      fingerprint,
      createdBy: CREATED_BY,
      parameters: { bits, rows, learned: rows, centroids: codebook.centroids.length / dimension },
    };
  });
}

interface PackOptions {
  codebook: Codebook;
  rows: number;
  session?: SessionOptions;
}

/** Writes codes and residuals of rows. Codes are kept until the end, residuals go to disk as they are made. */
async function packRows(
  writer: IndexFolderWriter,
  blocks: AsyncIterable<Float32Array>,
  { codebook, rows, session }: PackOptions,
): Promise<{ fingerprint: string }> {
  const intake = new VectorIntake({ dimension: codebook.dimension });
  const codes = new Uint32Array(rows);
  const packer = await RowPacker.open(codebook, session);
  async function* packed(): AsyncGenerator<Uint8Array> {
    for await (const block of blocks) {
      const first = intake.count;
      intake.accept(block);
      const { codes: places, residuals } = await packer.pack(block);
      codes.set(places, first);
      yield residuals;
    }
  }
  try {
    await writer.write(TOKEN_FILES.residuals, packed(), { blockBytes: RESIDUAL_BLOCK });
  } finally {
    await packer.release();
  }
  await writer.write(TOKEN_FILES.codes, [bytesOf(codes)]);
  return intake.finish();
}

/** The content of the file of a codebook. */
export function* codebookBytes(codebook: Codebook): Generator<Uint8Array> {
  const { directions, centroids, sizes, codewords, scales = { lowest: 0, step: 0 } } = codebook;
  for (const part of [directions, centroids, Float32Array.from(sizes), codewords]) yield bytesOf(part);
  yield bytesOf(Float32Array.of(scales.lowest, scales.step));
}

/** Numbers as they lie in memory. */
async function* countRows(
  blocks: AsyncIterable<Float32Array>,
  dimension: number,
  rows: number,
  signal: AbortSignal | undefined,
  tell: (done: number) => void,
): AsyncGenerator<Float32Array> {
  let done = 0;
  for await (const block of blocks) {
    signal?.throwIfAborted();
    yield block;
    done += block.length / dimension;
    tell(Math.min(done, rows));
  }
}
