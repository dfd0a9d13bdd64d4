import { join } from 'node:path';
import type { Bm25Meta } from '../format.js';
import { VECTOR_FILES } from '../layout.js';
import { ByteReader } from './byte-reader.js';
import { ByteWriter } from './byte-writer.js';
import type { RunFiles } from './postings-buffer.js';

/** Documents written between two pauses, in which a server's other work gets its turn. */
const DOCUMENTS_PER_TURN = 5_000;

/**
 * Writes the forward index: the runs' vectors one after the other, with the index's term numbers in ascending
 * order and stored as gaps.
 */
export async function mergeVectors(
  folder: string,
  runs: RunFiles[],
  numbers: Int32Array[],
  options: { bufferBytes: number },
): Promise<Bm25Meta['files']> {
  const vectors = new ByteWriter(join(folder, VECTOR_FILES.vectors));
  const offsets = new ByteWriter(join(folder, VECTOR_FILES.vectorOffsets));
  for (let run = 0; run < runs.length; run++) {
    const reader = new ByteReader(runs[run].vectors!, options.bufferBytes);
    try {
      for (let document = 1; document <= runs[run].documents; document++) {
        offsets.u32(vectors.position);
        writeVector(reader, numbers[run], vectors);
        if (document % DOCUMENTS_PER_TURN === 0) await new Promise(setImmediate);
      }
    } finally {
      reader.close();
    }
  }
  offsets.u32(vectors.position);
  return { [VECTOR_FILES.vectors]: vectors.close(), [VECTOR_FILES.vectorOffsets]: offsets.close() };
}

function writeVector(reader: ByteReader, numbers: Int32Array, out: ByteWriter): void {
  const entries = new Float64Array(reader.varint());
  // The term above, the frequency (24 bits) below: one numeric sort moves both.
  for (let i = 0; i < entries.length; i++) {
    entries[i] = numbers[reader.varint()] * 0x100_0000 + reader.varint();
  }
  entries.sort();
  let previous = 0;
  for (const entry of entries) {
    const term = Math.floor(entry / 0x100_0000);
    out.varint(term - previous);
    out.varint(entry - term * 0x100_0000);
    previous = term;
  }
}
