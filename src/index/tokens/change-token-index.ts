import { createHash } from 'node:crypto';
import { NearmissError } from '../../base/errors.js';
import { bytesOf } from '../../base/numbers/bytes-of.js';
import { RandomAccessFile } from '../../base/random-access-file.js';
import { CREATED_BY } from '../../base/version.js';
import type { IdTable } from '../../data/id-table.js';
import type { SessionOptions } from '../../engine/index.js';
import { documentFiles } from '../vectors/document-files.js';
import { type IndexFolder, writeIndexFolder } from '../vectors/index-folder.js';
import type { VectorIndexMetadata } from '../vectors/vector-index.js';
import { VectorIntake } from '../vectors/vector-intake.js';
import { ResidualCodec } from './residual-codec.js';
import { RESIDUAL_BLOCK } from './residuals.js';
import { RowPacker } from './row-packer.js';
import { readTokenTable, TOKEN_FILES } from './token-files.js';
import { codebookBytes, type TokenSource } from './write-token-index.js';

/** Bytes copied at once. */
const PIECE_BYTES = 2 ** 20;

export interface TokenChanges {
  /** The documents that stay, by number and ascending. */
  kept: Uint32Array;
  /** Documents that come after them. */
  added?: Pick<TokenSource, 'offsets' | 'blocks'>;
  /** The ids of all: those that stay, then those that come. */
  ids?: IdTable;
}

export interface ChangeOptions {
  session?: SessionOptions;
  signal?: AbortSignal;
}

/**
 * Writes an index of tokens anew with documents left out and others behind them, in the place of the old one, which is there until
 * the new one is whole. What stays is copied as it is; what comes is packed by the codebook that is there, so that nothing has
 * to be encoded or learned again.
 */
export async function changeTokenIndex(
  folder: IndexFolder,
  { kept, added, ids }: TokenChanges,
  { session, signal }: ChangeOptions = {},
): Promise<VectorIndexMetadata> {
  const { metadata } = folder;
  const { dimension, parameters } = metadata;
  const { codebook, codes: oldCodes, offsets: old } = await readTokenTable(folder);
  if (added && codebook.centroids.length === 0) {
    throw new NearmissError(
      `${folder.path}: it was made of no tokens, so nothing says how to compress others`,
      {
        hint: 'build it again: nearmiss index VECTORS OUT --type tokens --overwrite',
      },
    );
  }
  await folder.verify(TOKEN_FILES.residuals);
  const { rowBytes } = new ResidualCodec(codebook);
  const offsets = offsetsAfter(old, kept, added?.offsets);
  const codes = new Uint32Array(offsets[offsets.length - 1]);
  const runs = runsOf(kept);
  let filled = 0;
  for (const [first, end] of runs) {
    codes.set(oldCodes.subarray(old[first], old[end]), filled);
    filled += old[end] - old[first];
  }
  const intake = new VectorIntake({ dimension });
  async function* residuals(): AsyncGenerator<Uint8Array> {
    const file = await RandomAccessFile.open(folder.file(TOKEN_FILES.residuals));
    try {
      for (const [first, end] of runs)
        yield* pieces(file, old[first] * rowBytes, old[end] * rowBytes, signal);
    } finally {
      await file.close();
    }
    if (!added) return;
    const packer = await RowPacker.open(codebook, session);
    try {
      for await (const block of added.blocks()) {
        signal?.throwIfAborted();
        intake.accept(block);
        const packed = await packer.pack(block);
        codes.set(packed.codes, filled);
        filled += packed.codes.length;
        yield packed.residuals;
      }
    } finally {
      await packer.release();
    }
  }
  return writeIndexFolder(folder.path, { overwrite: true }, async (writer) => {
    await writer.write(TOKEN_FILES.residuals, residuals(), { blockBytes: RESIDUAL_BLOCK });
    await writer.write(TOKEN_FILES.codes, [bytesOf(codes)]);
    await writer.write(TOKEN_FILES.codewords, codebookBytes(codebook));
    await writer.write(TOKEN_FILES.offsets, [bytesOf(offsets)]);
    await documentFiles({ ids })(writer);
    return {
      ...metadata,
      count: offsets.length - 1,
      fingerprint: changedFingerprint(metadata.fingerprint, kept, intake.finish().fingerprint),
      createdBy: CREATED_BY,
      parameters: { ...parameters, learned: parameters.learned ?? parameters.rows, rows: codes.length },
    };
  });
}

/** Rows cannot be fingerprinted again where only their compressed form is left: of what was there, and of the change. */
function changedFingerprint(before: string, kept: Uint32Array, added: string): string {
  return createHash('sha256').update(`${before}\n`).update(bytesOf(kept)).update(added).digest('hex');
}

function offsetsAfter(old: Uint32Array, kept: Uint32Array, added?: Uint32Array): Uint32Array {
  const offsets = new Uint32Array(kept.length + (added ? added.length : 1));
  kept.forEach((document, place) => {
    offsets[place + 1] = offsets[place] + old[document + 1] - old[document];
  });
  if (!added) return offsets;
  const before = offsets[kept.length];
  for (let i = 1; i < added.length; i++) offsets[kept.length + i] = before + added[i];
  return offsets;
}

/** Documents that lie together, as [first, end). */
function runsOf(documents: Uint32Array): [number, number][] {
  const runs: [number, number][] = [];
  for (const document of documents) {
    const last = runs.at(-1);
    if (last?.[1] === document) last[1]++;
    else runs.push([document, document + 1]);
  }
  return runs;
}

async function* pieces(
  file: RandomAccessFile,
  start: number,
  end: number,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for (let from = start; from < end; from += PIECE_BYTES) {
    signal?.throwIfAborted();
    const piece = new Uint8Array(Math.min(PIECE_BYTES, end - from));
    await file.readInto(piece, from);
    yield piece;
  }
}
