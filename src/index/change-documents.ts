import { NearmissError } from '../base/errors.js';
import { withFileLock } from '../base/lock/file-lock.js';
import { IdTable } from '../data/id-table.js';
import type { ChangeOptions } from './tokens/change-token-index.js';
import { changeTokenIndex } from './tokens/change-token-index.js';
import type { TokenSource } from './tokens/write-token-index.js';
import { withToldRows } from './told-rows.js';
import { documentFiles, readDocumentFiles, readRowDocuments } from './vectors/document-files.js';
import { FlatIndex, writeFlatIndex } from './vectors/flat.js';
import { IndexFolder } from './vectors/index-folder.js';
import { decodeRows, type RowStorage } from './vectors/row-codec.js';
import { VectorCut } from './vectors/vector-cut.js';
import type { VectorIndexMetadata } from './vectors/vector-index.js';
import { VectorIntake } from './vectors/vector-intake.js';

/** What is to become of an index: documents that go, by id, then others that come. One that does both is replaced. */
export interface DocumentChanges {
  remove?: Iterable<string>;
  add?: TokenSource;
}

export interface ChangedIndex {
  metadata: VectorIndexMetadata;
  removed: number;
  added: number;
}

/**
 * Removes documents from an index of tokens or vectors and puts others behind those that stay; numbers move up. The changed
 * index takes the old one's place when it is whole, and whoever has the old one open goes on reading it. Costs a copy of the
 * index on disk, and memory for what an index of tokens has there in any case.
 *
 * @example
 * const rows = Float32Array.of(1, 0, 0, 1, 0.6, 0.8);
 * const source = { ...documentsFromIds(['d1', 'd1', 'd2'], 'rows'), blocks: async function* () { yield rows; } };
 * await writeDocumentIndex('indexes/tokens', source, { dimension: 2, scorer: 'max-sim' });
 * const { metadata } = await changeDocumentIndex('indexes/tokens', { remove: ['d1'] });
 */
export async function changeDocumentIndex(
  path: string,
  changes: DocumentChanges,
  options: ChangeOptions = {},
): Promise<ChangedIndex> {
  return withFileLock(`${path}.lock`, () => change(path, changes, options));
}

async function change(
  path: string,
  { remove = [], add: given }: DocumentChanges,
  options: ChangeOptions,
): Promise<ChangedIndex> {
  const folder = await IndexFolder.open(path);
  const add = given && withToldRows(given, folder.metadata.dimension);
  const { type } = folder.metadata;
  if (type !== 'tokens' && type !== 'flat') {
    throw new NearmissError(`${path}: an index of type ${type} cannot be changed, only tokens and flat`, {
      hint: `build it again: nearmiss index VECTORS OUT --type ${type} --overwrite`,
    });
  }
  const { ids: old } = await readDocumentFiles(folder);
  if (!old) {
    throw new NearmissError(`${path}: its documents have no ids, so none of them can be named`, {
      hint: 'build it from vectors that have a file of ids beside them: X.npy and X.ids.txt',
    });
  }
  const gone = numbersOf(path, remove, old);
  const kept = Uint32Array.from({ length: old.size - gone.size }, () => 0);
  const ids = new IdTable();
  let next = 0;
  for (let number = 0; number < old.size; number++) {
    if (gone.has(number)) continue;
    kept[next++] = number;
    ids.add(old.idAt(number));
  }
  const added = add ? add.offsets.length - 1 : 0;
  if (add) appendIds(path, ids, add.ids, added);
  const metadata =
    type === 'tokens'
      ? await changeTokenIndex(folder, { kept, ...(add && { added: add }), ids }, options)
      : await changeFlatIndex(folder, { kept, documents: old.size, add, ids }, options);
  return { metadata, removed: gone.size, added };
}

function numbersOf(path: string, remove: Iterable<string>, ids: IdTable): Set<number> {
  const numbers = new Set<number>();
  for (const id of remove) {
    const number = ids.indexOf(id);
    if (number < 0) {
      throw new NearmissError(`${path}: there is no document ${JSON.stringify(id)} to remove`, {
        hint: 'check the ids; nothing was changed',
      });
    }
    numbers.add(number);
  }
  return numbers;
}

function appendIds(path: string, ids: IdTable, added: IdTable | undefined, count: number): void {
  if (added?.size !== count) {
    throw new NearmissError(
      `${path}: expected an id for each of ${count} documents to add, got ${added?.size ?? 0}`,
    );
  }
  for (let i = 0; i < count; i++) {
    if (ids.add(added.idAt(i))) continue;
    throw new NearmissError(`${path}: the document ${JSON.stringify(added.idAt(i))} is there already`, {
      hint: 'remove it in the same change to replace it; nothing was changed',
    });
  }
}

async function changeFlatIndex(
  folder: IndexFolder,
  { kept, documents, add, ids }: { kept: Uint32Array; documents: number; add?: TokenSource; ids: IdTable },
  { session, signal }: ChangeOptions,
): Promise<VectorIndexMetadata> {
  const { dimension, storage, scorer, model, count, parameters } = folder.metadata;
  const { offsets: old = Uint32Array.from({ length: count + 1 }, (_, row) => row) } = await readRowDocuments(
    folder,
    documents,
  );
  const cut = VectorCut.of(folder.metadata);
  const stays = new Uint8Array(count);
  const offsets = [0];
  for (const document of kept) {
    stays.fill(1, old[document], old[document + 1]);
    offsets.push(offsets[offsets.length - 1] + old[document + 1] - old[document]);
  }
  const before = offsets[offsets.length - 1];
  for (let i = 1; add && i < add.offsets.length; i++) offsets.push(before + add.offsets[i]);
  const index = await FlatIndex.open(folder, { access: 'disk', session });
  async function* rows(): AsyncGenerator<Float32Array> {
    for await (const block of index.blocks()) {
      signal?.throwIfAborted();
      const chosen: number[] = [];
      for (let row = 0; row < block.rows; row++) if (stays[block.firstId + row]) chosen.push(row);
      const target = new Float32Array(chosen.length * cut.kept);
      chosen.forEach((row, place) => {
        const data = block.data.subarray(row * cut.kept, (row + 1) * cut.kept);
        decodeRows(data, target.subarray(place * cut.kept, (place + 1) * cut.kept));
      });
      yield target;
    }
    if (!add) return;
    const intake = new VectorIntake({ dimension });
    for await (const block of add.blocks()) {
      intake.accept(block);
      yield cut.apply(block);
    }
  }
  try {
    return await writeFlatIndex(folder.path, rows(), {
      ...{ dimension: cut.kept, storage: storage as RowStorage, overwrite: true },
      cutBefore: { dimension, parameters },
      ...(scorer !== undefined && { scorer }),
      ...(model !== undefined && { model }),
      extra: documentFiles({ offsets: Uint32Array.from(offsets), ids }),
    });
  } finally {
    await index.close();
  }
}
