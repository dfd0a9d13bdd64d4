import { open, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { CheckedFile, checkOf, fileCheckSchema } from '../../base/checked-file.js';
import { NearmissError } from '../../base/errors.js';
import { exists, writeDirectoryAtomic } from '../../base/files.js';
import { finishAbandoned } from '../../base/folders/abandoned.js';
import { type FolderContents, filesNamed } from '../../base/folders/folder-contents.js';
import { readJsonFile, writeSealedJsonFile } from '../../base/json-file.js';
import { BlockChecksums, blockChecksSchema } from './block-checksums.js';
import { META_FILE } from './open-unchanged.js';
import {
  type FolderFiles,
  INDEX_TYPES,
  type SaveOptions,
  STORAGES,
  type VectorIndexMetadata,
} from './vector-index.js';

const FORMAT_NAME = 'nearmiss-vectors';

/** Raised whenever an older reader would misread a newer index. */
const FORMAT_VERSION = 1;

/** Every file that a kind of index or its documents may have. */
const INDEX_FOLDER: FolderContents = {
  what: 'a vector index',
  files: filesNamed(
    META_FILE,
    'vectors.bin',
    'graph.usearch',
    'twins.bin',
    'documents.bin',
    'ids.txt',
    'digests.bin',
    'codebook.bin',
    'codewords.bin',
    'codes.bin',
    'residuals.bin',
    'offsets.bin',
    'postings/[a-z-]+.(bin|json)',
    'rows.bin',
    'lists.bin',
    'order.bin',
  ),
};

const REBUILD = 'copy the folder again, or build it again with: nearmiss index VECTORS OUT --overwrite';

/** What to do about a damaged folder that commands make for themselves where it is missing. */
export function removeAndRepeat(folder: string): string {
  return `remove ${folder} and run the same command again, which makes it anew`;
}

export interface IndexFolderOptions {
  /** What to do where the folder is damaged: the hint of the error. Default: to copy or build it again. */
  remedy?: string;
}

const count = z.int().min(0);

const metaSchema = z.object({
  format: z.literal(FORMAT_NAME),
  version: z.literal(FORMAT_VERSION),
  type: z.enum([...INDEX_TYPES, 'tokens', 'impacts', 'remote']),
  dimension: z.int().min(1),
  count,
  storage: z.enum(STORAGES),
  model: z.string().optional(),
  scorer: z.string().optional(),
  fingerprint: z.string(),
  createdBy: z.string(),
  parameters: z.record(z.string(), z.number()),
  remote: z.object({ address: z.string(), version: z.string(), exact: z.boolean() }).optional(),
  files: z.record(z.string(), fileCheckSchema.extend({ blocks: blockChecksSchema.optional() })),
});

type FileRecord = z.infer<typeof metaSchema>['files'];

/** Adds files to a folder that is being written and remembers their sizes and checksums. */
export class IndexFolderWriter implements FolderFiles {
  readonly files: FileRecord = {};
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Writes a file from pieces.
   *
   * @param options.blockBytes for a file that is read in blocks of this size, without the others: each gets a checksum
   */
  async write(
    name: string,
    pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    { blockBytes }: { blockBytes?: number } = {},
  ): Promise<void> {
    const file = await CheckedFile.create(this.pathOf(name));
    const blocks = blockBytes === undefined ? undefined : new BlockChecksums(blockBytes);
    try {
      for await (const piece of pieces) {
        blocks?.add(piece);
        await file.write(piece);
      }
      await file.commit();
    } catch (error) {
      await file.abort();
      throw error;
    }
    this.files[name] = { ...file.check, ...(blocks && { blocks: blocks.finish() }) };
  }

  /** Where a file is while the folder is being written, e.g. of something that checks itself. */
  pathOf(name: string): string {
    return join(this.#folder, name);
  }

  /** Takes in a file that `create` writes at the path it is given. */
  async adopt(name: string, create: (path: string) => void): Promise<void> {
    const path = this.pathOf(name);
    create(path);
    const handle = await open(path, 'r');
    await handle.sync();
    await handle.close();
    this.files[name] = await checkOf(path);
  }
}

/** Writes an index folder, which appears when it is complete; `fill` adds the files and returns what describes them. */
export async function writeIndexFolder(
  folder: string,
  options: SaveOptions,
  fill: (writer: IndexFolderWriter) => Promise<VectorIndexMetadata>,
): Promise<VectorIndexMetadata> {
  let metadata: VectorIndexMetadata | undefined;
  await writeDirectoryAtomic(
    folder,
    async (target) => {
      const writer = new IndexFolderWriter(target);
      metadata = await fill(writer);
      await options.extra?.(writer);
      const meta = { format: FORMAT_NAME, version: FORMAT_VERSION, ...metadata, files: writer.files };
      await writeSealedJsonFile(join(target, META_FILE), meta);
    },
    { replaces: options.overwrite ? INDEX_FOLDER : undefined },
  );
  return metadata!;
}

/** An index folder whose description was read and whose files have the size they should have. */
export class IndexFolder {
  readonly path: string;
  readonly metadata: VectorIndexMetadata;
  readonly #files: FileRecord;
  readonly #remedy: string;

  private constructor(path: string, metadata: VectorIndexMetadata, files: FileRecord, remedy: string) {
    this.path = path;
    this.metadata = metadata;
    this.#files = files;
    this.#remedy = remedy;
  }

  static async open(path: string, { remedy }: IndexFolderOptions = {}): Promise<IndexFolder> {
    // A kill just while the folder was being replaced: its new content is whole, but has not its name yet.
    if (!(await exists(path))) await finishAbandoned(dirname(path));
    const meta = await readJsonFile(join(path, META_FILE), metaSchema, {
      hint: remedy ?? 'name a folder made by: nearmiss index VECTORS OUT',
    });
    const { format: _format, version: _version, files, ...metadata } = meta;
    const folder = new IndexFolder(path, metadata, files, remedy ?? REBUILD);
    for (const name of Object.keys(files)) await folder.#checkSize(name);
    return folder;
  }

  /** What to do where the folder is damaged. */
  get remedy(): string {
    return this.#remedy;
  }

  has(name: string): boolean {
    return name in this.#files;
  }

  /** The path of one of the folder's files. */
  file(name: string): string {
    if (!this.has(name)) {
      throw new NearmissError(`${join(this.path, META_FILE)}: field "files": expected ${name} among them`, {
        hint: this.#remedy,
      });
    }
    return join(this.path, name);
  }

  /** How large a file is, as it was written. */
  bytes(name: string): number {
    this.file(name);
    return this.#files[name].bytes;
  }

  /** Reads a whole file to see that it is what was written. */
  async verify(name: string): Promise<void> {
    this.expectChecksum(name, (await checkOf(this.file(name))).crc32);
  }

  /** Compares a checksum with the one that was recorded. */
  expectChecksum(name: string, checksum: number): void {
    if (checksum !== this.#files[name].crc32) throw this.#altered(name, 'the file');
  }

  /** Compares the checksum of a block of so many bytes with the one that was recorded, where there is one. */
  expectBlock(name: string, blockBytes: number, block: number, checksum: number): void {
    const { blocks } = this.#files[name];
    if (blocks?.bytes !== blockBytes || blocks.crc32[block] === checksum) return;
    throw this.#altered(name, `the block at byte ${block * blockBytes}`);
  }

  /** The error for a file that its own reader refuses. */
  damaged(name: string, cause: unknown): NearmissError {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return new NearmissError(`${join(this.path, name)}: cannot be read: ${reason}`, {
      hint: this.#remedy,
      cause,
    });
  }

  #altered(name: string, what: string): NearmissError {
    return new NearmissError(`${join(this.path, name)}: ${what} is damaged: its checksum is wrong`, {
      hint: this.#remedy,
    });
  }

  async #checkSize(name: string): Promise<void> {
    const path = join(this.path, name);
    const { bytes } = this.#files[name];
    const size = await stat(path).then(
      (status) => status.size,
      () => undefined,
    );
    if (size === bytes) return;
    const got = size === undefined ? 'no such file' : `expected ${bytes} bytes, got ${size}`;
    throw new NearmissError(`${path}: ${got}`, { hint: this.#remedy });
  }
}
