import { readFile } from 'node:fs/promises';
import { NearmissError } from '../../base/errors.js';
import { readLines } from '../../base/lines.js';
import { IdTable } from '../../data/id-table.js';
import { isOneRowEach } from '../../model/encoder/encoded-texts.js';
import type { IndexFolder } from './index-folder.js';
import type { FolderFiles, VectorIndexMetadata } from './vector-index.js';

/** The number of its document for each vector, 32 bits and little-endian; absent where both have the same numbers. */
const DOCUMENTS_FILE = 'documents.bin';
/** One id a line, in the order of the documents. */
const IDS_FILE = 'ids.txt';

/** Ids written at once. */
const IDS_PER_PIECE = 10_000;
/** Vectors whose documents are written at once. */
const VECTORS_PER_PIECE = 1 << 18;

export interface Documents {
  /** The vectors of document `i` are `offsets[i] … offsets[i + 1] - 1`. Left out, every vector is a document. */
  offsets?: Uint32Array;
  /** Allows documents without a vector, which are never found. */
  mayBeEmpty?: boolean;
  /** The documents' ids in the collection, where they are known. */
  ids?: IdTable;
}

/**
 * Numbers documents from the id of each vector: neighbours with the same id are one document's vectors.
 *
 * @param where the file the ids are from, for error messages
 */
export function documentsFromIds(
  rowIds: Iterable<string>,
  where: string,
): Documents & Required<Pick<Documents, 'ids' | 'offsets'>> {
  const ids = new IdTable();
  const offsets: number[] = [];
  let row = 0;
  for (const id of rowIds) {
    const known = !ids.add(id);
    if (known && ids.indexOf(id) !== ids.size - 1) {
      throw new NearmissError(
        `${where}:${row + 1}: the id ${JSON.stringify(id)} came before, and not just before`,
        {
          hint: 'put the vectors of a document together; give different documents different ids',
        },
      );
    }
    if (!known) offsets.push(row);
    row++;
  }
  return { ids, offsets: Uint32Array.from([...offsets, row]) };
}

/** Writes documents beside an index: `index.save(folder, { extra: documentFiles(documents) })`. */
export function documentFiles({ offsets, ids }: Documents): (folder: FolderFiles) => Promise<void> {
  return async (folder) => {
    if (offsets && !isOneRowEach(offsets)) await folder.write(DOCUMENTS_FILE, documentNumbers(offsets));
    if (ids) await folder.write(IDS_FILE, idLines(ids));
  };
}

/** Reads what {@link documentFiles} wrote; of an index that finds documents itself, only their ids. */
export async function readDocumentFiles(folder: IndexFolder): Promise<Documents> {
  const ids = folder.has(IDS_FILE) ? await readIds(folder) : undefined;
  if (findsDocuments(folder.metadata)) return { ids };
  return { ...(await readRowDocuments(folder, ids?.size)), ids };
}

/** Whether searching an index gives documents, and not rows of them. */
export function findsDocuments({ type, scorer }: VectorIndexMetadata): boolean {
  return ['tokens', 'impacts', 'remote'].includes(type) || scorer === 'max-sim';
}

/** Which rows are whose, as {@link documentFiles} wrote it. */
export async function readRowDocuments(folder: IndexFolder, documents?: number): Promise<Documents> {
  if (!folder.has(DOCUMENTS_FILE)) return {};
  return { offsets: await readOffsets(folder, documents), mayBeEmpty: true };
}

/** @param documents how many there are, where that is known: the last may be without vectors */
async function readOffsets(folder: IndexFolder, documents?: number): Promise<Uint32Array> {
  await folder.verify(DOCUMENTS_FILE);
  const bytes = await readFile(folder.file(DOCUMENTS_FILE));
  const documentOf = new Int32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  const offsets = new Uint32Array(Math.max(documents ?? 0, (documentOf.at(-1) ?? -1) + 1) + 1);
  let next = 0;
  documentOf.forEach((document, row) => {
    if (document < next - 1 || document < 0) {
      throw folder.damaged(DOCUMENTS_FILE, `vector ${row}: document ${document} came before`);
    }
    while (next <= document) offsets[next++] = row;
  });
  offsets.fill(documentOf.length, next);
  return offsets;
}

async function readIds(folder: IndexFolder): Promise<IdTable> {
  await folder.verify(IDS_FILE);
  const ids = new IdTable();
  for await (const { text, number } of readLines(folder.file(IDS_FILE))) {
    if (!ids.add(text))
      throw folder.damaged(IDS_FILE, `line ${number}: the id ${JSON.stringify(text)} came before`);
  }
  return ids;
}

function* idLines(ids: IdTable): Generator<Uint8Array> {
  for (let first = 0; first < ids.size; first += IDS_PER_PIECE) {
    let text = '';
    for (let i = first; i < Math.min(ids.size, first + IDS_PER_PIECE); i++) text += `${ids.idAt(i)}\n`;
    yield Buffer.from(text);
  }
}

function* documentNumbers(offsets: Uint32Array): Generator<Uint8Array> {
  const numbers = new Int32Array(Math.min(VECTORS_PER_PIECE, offsets[offsets.length - 1]));
  let filled = 0;
  for (let document = 0; document + 1 < offsets.length; document++) {
    for (let row = offsets[document]; row < offsets[document + 1]; row++) {
      numbers[filled++] = document;
      if (filled < numbers.length) continue;
      yield new Uint8Array(numbers.slice().buffer);
      filled = 0;
    }
  }
  if (filled > 0) yield new Uint8Array(numbers.slice(0, filled).buffer);
}
