import { readFile } from 'node:fs/promises';
import { NearmissError } from '../../base/errors.js';
import { readLines } from '../../base/lines.js';
import { IdTable } from '../../data/id-table.js';
import type { IndexFolder } from './index-folder.js';
import type { FolderFiles } from './vector-index.js';

/** One 32-bit little-endian number for each vector. */
const DOCUMENTS_FILE = 'documents.bin';
/** One id a line, in the order of the documents. */
const IDS_FILE = 'ids.txt';

/** Ids written at once. */
const IDS_PER_PIECE = 10_000;

export interface Documents {
  documentOf?: Int32Array;
  ids?: IdTable;
}

/**
 * Numbers documents from the id of each vector: neighbours with the same id are one document's vectors.
 *
 * @param where the file the ids are from, for error messages
 */
export function documentsFromIds(rowIds: Iterable<string>, where: string): Documents {
  const ids = new IdTable();
  const documentOf: number[] = [];
  for (const id of rowIds) {
    const known = !ids.add(id);
    const line = documentOf.length + 1;
    if (known && ids.indexOf(id) !== ids.size - 1) {
      throw new NearmissError(
        `${where}:${line}: the id ${JSON.stringify(id)} came before, and not just before`,
        {
          hint: 'put the vectors of a document together; give different documents different ids',
        },
      );
    }
    documentOf.push(ids.size - 1);
  }
  return documentOf.length === ids.size ? { ids } : { ids, documentOf: Int32Array.from(documentOf) };
}

/** Writes documents beside an index: `index.save(folder, { extra: documentFiles(documents) })`. */
export function documentFiles({ documentOf, ids }: Documents): (folder: FolderFiles) => Promise<void> {
  return async (folder) => {
    if (documentOf) {
      const { buffer, byteOffset, byteLength } = documentOf;
      await folder.write(DOCUMENTS_FILE, [new Uint8Array(buffer, byteOffset, byteLength)]);
    }
    if (ids) await folder.write(IDS_FILE, idLines(ids));
  };
}

/** Reads what {@link documentFiles} wrote. */
export async function readDocumentFiles(folder: IndexFolder): Promise<Documents> {
  return {
    ...(folder.has(DOCUMENTS_FILE) ? { documentOf: await readDocumentOf(folder) } : {}),
    ...(folder.has(IDS_FILE) ? { ids: await readIds(folder) } : {}),
  };
}

async function readDocumentOf(folder: IndexFolder): Promise<Int32Array> {
  await folder.verify(DOCUMENTS_FILE);
  const bytes = await readFile(folder.file(DOCUMENTS_FILE));
  return new Int32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
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
