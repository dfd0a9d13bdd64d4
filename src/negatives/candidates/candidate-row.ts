import { join } from 'node:path';
import { NearmissError } from '../../base/errors.js';
import { readJsonFile } from '../../base/json-file.js';
import { RandomAccessFile } from '../../base/random-access-file.js';
import { type Column, fileName, MANIFEST_FILE } from './candidate-files.js';
import { NONE } from './candidate-table.js';
import { type CandidateManifest, manifestSchema } from './manifest.js';

/** One query's candidates, read without the rest of the table. */
export interface CandidateRow {
  /** Documents, by number, in the order of their ranks. */
  ids: Int32Array;
  /** NaN where the source has none. */
  scores: Float32Array;
  /** In the original ranking, from 1, before anything was excluded. */
  ranks: Int32Array;
  /** The step of the checkpoint that ranked, or −1. */
  checkpoint: number;
  manifest: CandidateManifest;
}

/**
 * Reads the candidates of one query from a table's folder: for those who look at a few queries of a table that may
 * be larger than memory. Sizes are checked, checksums are not.
 */
export async function readCandidateRow(folder: string, query: number): Promise<CandidateRow> {
  const manifest = await readJsonFile(join(folder, MANIFEST_FILE), manifestSchema);
  const { queries, depth } = manifest;
  if (!(query >= 0 && query < queries)) {
    throw new NearmissError(`${folder}: expected a query below ${queries}, got ${query}`, {
      hint: 'was the table mined for another split or collection?',
    });
  }
  const read = async (column: Column, width: number): Promise<ArrayBuffer> => {
    const file = await RandomAccessFile.open(join(folder, fileName(column)));
    try {
      if (file.size !== 4 * queries * width) throw file.truncated(4 * queries * width);
      const bytes = new Uint8Array(4 * width);
      await file.readInto(bytes, 4 * query * width);
      return bytes.buffer;
    } finally {
      await file.close();
    }
  };
  const ids = new Int32Array(await read('ids', depth));
  const unused = ids.indexOf(NONE);
  const count = unused < 0 ? depth : unused;
  return {
    ids: ids.subarray(0, count),
    scores: new Float32Array(await read('scores', depth)).subarray(0, count),
    ranks: new Int32Array(await read('ranks', depth)).subarray(0, count),
    checkpoint: new Int32Array(await read('checkpoints', 1))[0],
    manifest,
  };
}
