import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../base/errors.js';
import { exists, writeFileAtomic } from '../../base/files.js';
import type { BlobStore } from './blob-store.js';

/** A folder that all of a fleet see. */
export class FolderBlobs implements BlobStore {
  readonly address: string;

  constructor(folder: string) {
    this.address = folder;
  }

  async get(name: string): Promise<Uint8Array | undefined> {
    return readFile(this.#path(name)).catch((error) => {
      if (hasCode(error, 'ENOENT')) return undefined;
      throw error;
    });
  }

  has(name: string): Promise<boolean> {
    return exists(this.#path(name));
  }

  async put(name: string, content: Uint8Array): Promise<void> {
    await writeFileAtomic(this.#path(name), content);
  }

  async remove(name: string): Promise<void> {
    await rm(this.#path(name), { force: true });
  }

  #path(name: string): string {
    return join(this.address, name);
  }
}
