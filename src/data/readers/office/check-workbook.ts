import { readFile } from 'node:fs/promises';
import { inflateRawSync } from 'node:zlib';
import { NearmissError } from '../../../base/errors.js';

/** The largest sheet that is read, unpacked; a million rows of text are a tenth of that. */
const MOST_BYTES = 2 ** 28;
/** The reader makes every cell up to the last one, filled or not. */
const MOST_CELLS = 2e7;

const END = 0x06054b50;
const END_BYTES = 22;
const ENTRY = 0x02014b50;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
const DEFLATED = 8;

/**
 * Refuses workbooks that would take more memory than there is: small files that unpack to very much, and sheets with a
 * cell far from all others. What is no workbook at all is for its reader to tell.
 */
export async function checkWorkbook(file: string): Promise<void> {
  const content = await readFile(file);
  for (const { name, unpack } of entries(content)) {
    const part = unpack(file);
    if (!/^xl\/worksheets\/[^/]*\.xml$/i.test(name)) continue;
    const sheet = part.toString('latin1');
    const { columns, rows } = extentOf(sheet);
    if (columns * rows > MOST_CELLS) {
      throw tooLarge(file, name, `${columns} columns and ${rows} rows up to its last cell`);
    }
  }
}

/** How far a sheet goes: to its last column and its last row. */
function extentOf(sheet: string): { columns: number; rows: number } {
  let columns = 1;
  let rows = 1;
  for (const [, column, row] of sheet.matchAll(/<(?:\w+:)?c\s[^>]*?\br="([A-Za-z]{1,7})(\d{1,15})"/g)) {
    let number = 0;
    for (const letter of column.toUpperCase()) number = 26 * number + letter.charCodeAt(0) - 64;
    columns = Math.max(columns, number);
    rows = Math.max(rows, Number(row));
  }
  for (const [, row] of sheet.matchAll(/<(?:\w+:)?row\s[^>]*?\br="(\d{1,15})"/g)) {
    rows = Math.max(rows, Number(row));
  }
  return { columns, rows };
}

interface Entry {
  name: string;
  unpack(file: string): Buffer;
}

/** The files in a ZIP archive by its directory; none where it is no archive. */
function* entries(content: Buffer): Generator<Entry> {
  let end = content.length - END_BYTES;
  while (end >= 0 && content.readUInt32LE(end) !== END) end--;
  if (end < 0) return;
  let at = content.readUInt32LE(end + 16);
  while (at + ENTRY_BYTES <= content.length && content.readUInt32LE(at) === ENTRY) {
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((from) => content.readUInt16LE(at + from));
    const name = content.toString('utf8', at + ENTRY_BYTES, at + ENTRY_BYTES + nameBytes);
    const method = content.readUInt16LE(at + 10);
    const packed = content.readUInt32LE(at + 20);
    const local = content.readUInt32LE(at + 42);
    yield { name, unpack: (file) => unpackAt(content, { file, name, method, packed, local }) };
    at += ENTRY_BYTES + nameBytes + extraBytes + commentBytes;
  }
}

function unpackAt(
  content: Buffer,
  place: { file: string; name: string; method: number; packed: number; local: number },
): Buffer {
  const { file, name, method, packed, local } = place;
  if (local + LOCAL_BYTES > content.length) return Buffer.alloc(0);
  const start = local + LOCAL_BYTES + content.readUInt16LE(local + 26) + content.readUInt16LE(local + 28);
  const bytes = content.subarray(start, start + packed);
  if (method !== DEFLATED) return bytes;
  try {
    // What an archive says of its sizes may be wrong, so it is tried.
    return inflateRawSync(bytes, { maxOutputLength: MOST_BYTES });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') return Buffer.alloc(0);
    throw tooLarge(file, name, `more than ${MOST_BYTES / 2 ** 20} MiB unpacked`);
  }
}

function tooLarge(file: string, part: string, what: string): NearmissError {
  return new NearmissError(`${file}: ${part}: too large for a workbook: ${what}`, {
    hint: 'save it as CSV, which is read row by row, or remove what stands far from the rest',
  });
}
