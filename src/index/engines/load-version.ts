import { createHash } from 'node:crypto';
import { NearmissError } from '../../base/errors.js';
import { rowsOf } from '../../model/encoder/encoded-texts.js';
import type { EngineBatch, EngineConnection, VersionDescription, VersionFields } from './engine.js';

export interface LoadOptions {
  /** What the version is a version of. */
  name: string;
  description: Omit<VersionDescription, 'complete'>;
  /** All documents, in the order of their numbers. */
  batches(): AsyncIterable<EngineBatch>;
  /** Told how many documents are there. */
  onProgress?: (documents: number) => void;
  /** Told what it waits for. */
  onNote?: (note: string) => void;
  signal?: AbortSignal;
}

const HASH_DIGITS = 12;
/** Batches under way at once. */
const AT_ONCE = 3;
/** Documents that are read back and compared. */
const SAMPLED = 24;
/** How far a number read back may be from the one that was sent, relative to the row's largest. */
const TOLERANCE = { f32: 1e-5, f16: 2e-3 };

/** A fingerprint of whatever a version depends on. */
export function fingerprintOf(parts: unknown): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** The name of a version. */
function versionName(name: string, fingerprint: string): string {
  return `${name}-${fingerprint.slice(0, HASH_DIGITS)}`;
}

/** Whether a version is one of a name, and not of another name that begins like it. */
export function isVersionOf(name: string, version: string): boolean {
  return version.startsWith(`${name}-`) && /^[0-9a-f]{12}$/.test(version.slice(name.length + 1));
}

/**
 * Puts a version into an engine, unless it is there, and returns its name. It counts as complete only after its documents were counted
 * and some of them were read back; what a kill left half done is done again.
 */
export async function loadVersion(connection: EngineConnection, options: LoadOptions): Promise<string> {
  const { name, description, onNote, signal } = options;
  const version = versionName(name, description.fingerprint);
  if ((await connection.describe(version))?.complete) return version;
  await connection.create(version, { ...description, complete: false });
  const { fields, samples } = await addAll(connection, version, options);
  signal?.throwIfAborted();
  await connection.build(version, fields, onNote);
  await check(connection, version, { ...description, onNote }, samples);
  await connection.redescribe(version, { ...description, complete: true });
  return version;
}

interface Sample {
  number: number;
  id: string;
  rows?: Float32Array;
}

async function addAll(
  connection: EngineConnection,
  version: string,
  { batches, description, onProgress, signal }: LoadOptions,
): Promise<{ fields: VersionFields; samples: Sample[] }> {
  const fields = { texts: new Set<string>(), numbers: new Set<string>(), flags: new Set<string>() };
  const samples: Sample[] = [];
  const step = Math.max(1, Math.floor(description.count / SAMPLED));
  const underWay = new Set<Promise<void>>();
  try {
    for await (const batch of batches()) {
      signal?.throwIfAborted();
      batch.documents.forEach((document, i) => {
        for (const type of ['texts', 'numbers', 'flags'] as const) {
          for (const field of Object.keys(document.fields?.[type] ?? {})) fields[type].add(field);
        }
        const number = batch.first + i;
        if (number % step > 0) return;
        samples.push({ number, id: document.id, rows: batch.rows && rowsOf(batch.rows, i).slice() });
      });
      const adding = connection.add(version, batch).then(() => {
        underWay.delete(adding);
        onProgress?.(batch.documents.length);
      });
      underWay.add(adding);
      if (underWay.size >= AT_ONCE) await Promise.race(underWay);
    }
    await Promise.all(underWay);
  } catch (error) {
    // The first error is told; the others are its like.
    await Promise.allSettled(underWay);
    throw error;
  }
  return { fields, samples };
}

async function check(
  connection: EngineConnection,
  version: string,
  { count, shape, onNote }: LoadOptions['description'] & Pick<LoadOptions, 'onNote'>,
  samples: readonly Sample[],
): Promise<void> {
  const state = await connection.state(version);
  if (state.count !== count) throw notWhat(version, `${count} documents`, `${state.count}`);
  if (state.note !== undefined) onNote?.(state.note);
  const stored = await connection.read(
    version,
    samples.map(({ number }) => number),
  );
  samples.forEach(({ number, id, rows }, i) => {
    const got = stored[i];
    if (got?.id !== id)
      throw notWhat(version, `the document ${id} as number ${number}`, got?.id ?? 'nothing');
    if (rows === undefined) return;
    const most = rows.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
    const near = TOLERANCE[shape.storage ?? 'f32'] * most;
    const same = got.rows.length === rows.length && rows.every((x, j) => Math.abs(x - got.rows[j]) <= near);
    if (!same) throw notWhat(version, `the rows of ${id} as they were sent`, 'others');
  });
}

function notWhat(version: string, expected: string, got: string): NearmissError {
  return new NearmissError(`${version}: expected ${expected}, got ${got}`, {
    hint: 'the name still points to the version before; repeat the command, and see the log of the engine if it fails again',
  });
}
