import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { NearmissError } from '../../base/errors.js';
import { writeDirectoryAtomic, writeFileAtomic } from '../../base/files.js';
import { type FolderContents, filesNamed } from '../../base/folders/folder-contents.js';
import { readJsonFile, writeSealedJsonFile } from '../../base/json-file.js';
import { bytesOf } from '../../base/numbers/bytes-of.js';
import { RandomAccessFile } from '../../base/random-access-file.js';
import type { CandidateData } from './candidate-data.js';
import { type CandidateManifest, FORMAT_NAME, FORMAT_VERSION, manifestSchema } from './manifest.js';

export const MANIFEST_FILE = 'manifest.json';
const COLUMNS = ['ids', 'scores', 'ranks', 'checkpoints'] as const;
export type Column = (typeof COLUMNS)[number];

export const CANDIDATE_FOLDER: FolderContents = {
  what: 'a table of candidates',
  files: filesNamed(MANIFEST_FILE, ...COLUMNS.map(fileName)),
};

const MINE_AGAIN =
  'delete the folder and mine again (nearmiss mine …); a run that is resumed does so by itself';

export interface LoadOptions {
  /** How many queries there must be. */
  queryCount?: number;
  /** What the table must have been mined on; one mined on other data is an error. */
  dataFingerprint?: string;
}

/** Numbers as they stand in memory, little-endian, in one file a column; the manifest has their checksums. */
export async function saveTable(
  folder: string,
  table: CandidateData,
  options: { overwrite?: boolean },
): Promise<CandidateManifest> {
  const manifest: CandidateManifest = {
    format: FORMAT_NAME,
    version: FORMAT_VERSION,
    queries: table.checkpoints.length,
    depth: table.depth,
    ...table.provenance,
    fingerprint: '',
    files: {},
  };
  await writeDirectoryAtomic(
    folder,
    async (temporary) => {
      const whole = createHash('sha256');
      for (const column of COLUMNS) {
        const bytes = bytesOf(table[column]);
        const sha256 = createHash('sha256').update(bytes).digest('hex');
        manifest.files[fileName(column)] = { bytes: bytes.length, sha256 };
        whole.update(sha256);
        await writeFileAtomic(join(temporary, fileName(column)), bytes);
      }
      manifest.fingerprint = whole.digest('hex');
      await writeSealedJsonFile(join(temporary, MANIFEST_FILE), manifest);
    },
    { replaces: options.overwrite ? CANDIDATE_FOLDER : undefined },
  );
  return manifest;
}

export async function loadTable(folder: string, options: LoadOptions): Promise<CandidateData> {
  const manifestPath = join(folder, MANIFEST_FILE);
  const manifest = await readJsonFile(manifestPath, manifestSchema, {
    hint: `name a folder that "nearmiss mine" or a training run made; if it is one, ${MINE_AGAIN}`,
  });
  checkBelongs(manifestPath, manifest, options);
  const { queries, depth } = manifest;
  const read = async (column: Column, length: number): Promise<ArrayBuffer> =>
    readColumn(folder, fileName(column), 4 * length, manifest);
  const {
    format: _format,
    version: _version,
    queries: _queries,
    fingerprint: _fingerprint,
    files: _files,
    depth: _depth,
    ...provenance
  } = manifest;
  return {
    depth,
    ids: new Int32Array(await read('ids', queries * depth)),
    scores: new Float32Array(await read('scores', queries * depth)),
    ranks: new Int32Array(await read('ranks', queries * depth)),
    checkpoints: new Int32Array(await read('checkpoints', queries)),
    provenance,
  };
}

async function readColumn(
  folder: string,
  name: string,
  bytes: number,
  manifest: CandidateManifest,
): Promise<ArrayBuffer> {
  const path = join(folder, name);
  const recorded = manifest.files[name];
  if (recorded?.bytes !== bytes) {
    throw new NearmissError(
      `${join(folder, MANIFEST_FILE)}: field "files.${name}": expected ${bytes} bytes for ${manifest.queries} queries of depth ${manifest.depth}, got ${recorded?.bytes ?? 'nothing'}`,
      { hint: MINE_AGAIN },
    );
  }
  const file = await RandomAccessFile.open(path).catch((error) => {
    throw new NearmissError(error.message, {
      hint: `the table is not complete: ${MINE_AGAIN}`,
      cause: error,
    });
  });
  try {
    if (file.size !== bytes) {
      throw new NearmissError(`${path}: expected ${bytes} bytes, got ${file.size}`, {
        hint: `the file was cut or changed after it was written: ${MINE_AGAIN}`,
      });
    }
    const content = new Uint8Array(bytes);
    await file.readInto(content, 0);
    if (createHash('sha256').update(content).digest('hex') !== recorded.sha256) {
      throw new NearmissError(`${path}: the file is damaged: its checksum is wrong`, { hint: MINE_AGAIN });
    }
    return content.buffer;
  } finally {
    await file.close();
  }
}

function checkBelongs(path: string, manifest: CandidateManifest, options: LoadOptions): void {
  const { queryCount = manifest.queries, dataFingerprint } = options;
  if (manifest.queries !== queryCount) {
    throw new NearmissError(`${path}: field "queries": expected ${queryCount}, got ${manifest.queries}`, {
      hint: 'the candidates belong to other training queries: mine them for this split',
    });
  }
  if (dataFingerprint !== undefined && manifest.dataFingerprint !== dataFingerprint) {
    throw new NearmissError(
      `${path}: field "dataFingerprint": expected ${dataFingerprint}, got ${manifest.dataFingerprint ?? 'nothing'}`,
      { hint: 'the collection has changed since, or is another one: mine again' },
    );
  }
}

export function fileName(column: Column): string {
  return `${column}.bin`;
}
