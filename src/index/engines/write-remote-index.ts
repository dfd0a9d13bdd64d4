import { createHash } from 'node:crypto';
import { UsageError } from '../../base/errors.js';
import { CREATED_BY } from '../../base/version.js';
import { isOneRowEach } from '../../model/encoder/encoded-texts.js';
import type { TokenSource } from '../tokens/write-token-index.js';
import { documentFiles } from '../vectors/document-files.js';
import { writeIndexFolder } from '../vectors/index-folder.js';
import type { SaveOptions, VectorIndexMetadata } from '../vectors/vector-index.js';
import { VectorIntake } from '../vectors/vector-intake.js';
import { parseEngineAddress } from './address.js';
import { connectEngine } from './connect.js';
import { type DocumentRows, documentBatches } from './document-batches.js';
import type { EngineBatch, EngineSettings, VersionShape } from './engine.js';
import { fingerprintOf, loadVersion } from './load-version.js';
import { sparseDocuments } from './sparse-rows.js';

export interface WriteRemoteOptions extends EngineSettings, Pick<SaveOptions, 'overwrite'> {
  /** The address of an engine, with a name at its end. */
  url: string;
  dimension: number;
  model?: string;
  /** The scorer that compares rows, where it is not the best inner product. */
  scorer?: string;
  onProgress?: (documents: number) => void;
  signal?: AbortSignal;
}

/** How an engine compares the rows of documents for a scorer. */
function compareFor(scorer: string | undefined, offsets: Uint32Array): VersionShape['compare'] {
  if (scorer === 'max-sim') return 'max-sim';
  if (scorer === undefined) return isOneRowEach(offsets) ? 'one' : 'best';
  throw new UsageError(`an engine cannot compare rows as ${scorer} does`, {
    hint: 'use an index of the type flat',
  });
}

/** What a version holds that a scorer compares like this. */
export function shapeFor(
  scorer: string | undefined,
  offsets: Uint32Array,
  { dimension, ...settings }: EngineSettings & { dimension: number },
): VersionShape {
  if (scorer === 'impact') return { ...settings, compare: 'one', sparse: true };
  return { ...settings, dimension, compare: compareFor(scorer, offsets), sparse: false };
}

/** Rows as a version takes them: terms and weights where it is sparse. */
export function partsFor(
  { sparse }: VersionShape,
  { first, rows }: DocumentRows,
): Pick<EngineBatch, 'first' | 'rows' | 'sparse'> {
  return sparse ? { first, sparse: sparseDocuments(rows) } : { first, rows };
}

/** Documents that have rows. */
export function findableOf(offsets: Uint32Array): number {
  let findable = 0;
  for (let i = 0; i + 1 < offsets.length; i++) if (offsets[i + 1] > offsets[i]) findable++;
  return findable;
}

/** Puts rows into an engine and writes the folder that stands for them here: searching it asks the engine. */
export async function writeRemoteIndex(
  folder: string,
  { offsets, blocks, ids }: TokenSource,
  { url, dimension, model, scorer, overwrite, onProgress, signal, ...settings }: WriteRemoteOptions,
): Promise<VectorIndexMetadata> {
  const address = parseEngineAddress(url, 'url');
  const { name } = address;
  if (name === undefined) {
    throw new UsageError(`url: expected a name at its end, got ${JSON.stringify(url)}`, {
      hint: `for example ${url.replace(/\/$/, '')}/docs`,
    });
  }
  const shape = shapeFor(scorer, offsets, { ...settings, dimension });
  const intake = new VectorIntake({ dimension });
  for await (const block of blocks()) intake.accept(block);
  const { fingerprint } = intake.finish();
  const count = offsets.length - 1;
  const idOf = (number: number): string => ids?.idAt(number) ?? String(number);
  const connection = await connectEngine(url);
  try {
    const version = await loadVersion(connection, {
      name,
      description: {
        shape,
        count,
        findable: findableOf(offsets),
        fingerprint: fingerprintOf([fingerprint, shape, count, hashOf(idOf, count)]),
        model,
        documents: false,
        createdBy: CREATED_BY,
      },
      async *batches() {
        for await (const batch of documentBatches(blocks(), offsets, dimension)) {
          const documents = Array.from({ length: batch.count }, (_, i) => ({ id: idOf(batch.first + i) }));
          yield { ...partsFor(shape, batch), documents };
        }
      },
      onProgress,
      signal,
    });
    return await writeIndexFolder(folder, { overwrite, extra: documentFiles({ ids }) }, async () => ({
      type: 'remote',
      dimension,
      count,
      storage: settings.storage ?? 'f32',
      model,
      ...(scorer !== undefined && { scorer }),
      fingerprint,
      createdBy: CREATED_BY,
      parameters: {},
      remote: { address: url, version, exact: settings.exact ?? false },
    }));
  } finally {
    await connection.close();
  }
}

function hashOf(idOf: (number: number) => string, count: number): string {
  const hash = createHash('sha256');
  for (let number = 0; number < count; number++) hash.update(`${idOf(number)}\n`);
  return hash.digest('hex');
}
