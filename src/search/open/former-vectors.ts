import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { hasCode, NearmissError } from '../../base/errors.js';
import { fullText } from '../../data/dataset.js';
import { IndexFolder } from '../../index/vectors/index-folder.js';
import { RowsByText } from '../../index/vectors/text-digests.js';
import { madeWith } from '../../model/precision/precision.js';
import type { StoredDocuments } from '../documents/stored-documents.js';
import type { EmbedderInfo } from '../embedder.js';

/** Documents looked at together. */
const AT_ONCE = 256;

/**
 * What a model made of a collection's former state, so that only the texts are encoded that are new; undefined where
 * nothing is left of it.
 *
 * @param prefix of the names of the folders that have what this model made
 */
export async function openFormerVectors(
  folder: string,
  prefix: string,
  info: EmbedderInfo,
): Promise<RowsByText | undefined> {
  const parent = dirname(folder);
  const names = await readdir(parent).catch(() => []);
  for (const name of names.sort()) {
    if (!name.startsWith(prefix) || name === basename(folder)) continue;
    const former = await openFormer(join(parent, name), info).catch((error) => {
      // What is damaged, half there or just being removed is no help; then more is encoded.
      if (error instanceof NearmissError || hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return;
      throw error;
    });
    if (former) return former;
  }
  return undefined;
}

async function openFormer(path: string, info: EmbedderInfo): Promise<RowsByText | undefined> {
  const folder = await IndexFolder.open(path);
  const { model, dimension, scorer } = folder.metadata;
  // The folder's name has the weights and the length; rows are made by more than these.
  const isSame =
    model === madeWith(info.name, info.precision) && dimension === info.dimension && scorer === info.scorer;
  return isSame ? RowsByText.open(folder) : undefined;
}

/** How many documents have texts that were not encoded before. */
export async function countNew(store: StoredDocuments, former: RowsByText | undefined): Promise<number> {
  if (!former) return store.count;
  let known = 0;
  for (let first = 0; first < store.count; first += AT_ONCE) {
    const length = Math.min(AT_ONCE, store.count - first);
    const ids = Array.from({ length }, (_, i) => store.idAt(first + i));
    for (const document of await store.getAll(ids)) if (document && former.has(fullText(document))) known++;
  }
  return store.count - known;
}
