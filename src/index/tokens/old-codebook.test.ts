import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bytesOf } from '../../base/numbers/bytes-of.js';
import { stackRows } from '../../model/encoder/encoded-texts.js';
import { maxSim } from '../../model/scorer/max-sim.js';
import { changeDocumentIndex } from '../change-documents.js';
import { documentFiles } from '../vectors/document-files.js';
import { writeIndexFolder } from '../vectors/index-folder.js';
import { openDocumentIndex } from '../vectors/open.js';
import { tokenDocuments, tokenSource } from './token-index.conformance.js';

const SIZE = 16;
const session = { threads: 1 };
const WEIGHTS = Float32Array.of(-0.2, -0.06, 0.06, 0.2);

/** An index as it was written before there were codewords: 2 bits for each number, the first in the lowest bits of a byte. */
async function writeOld(folder: string, documents: ReturnType<typeof tokenDocuments>): Promise<Float32Array> {
  const source = tokenSource(documents);
  const { vectors } = stackRows(
    documents.map(({ rows }) => rows),
    SIZE,
  );
  const centroids = vectors.slice(0, 60 * SIZE);
  const count = vectors.length / SIZE;
  const codes = new Uint32Array(count);
  const packed = new Uint8Array((count * SIZE) / 4);
  const decoded = new Float32Array(vectors.length);
  for (let row = 0; row < count; row++) {
    const own = vectors.subarray(row * SIZE, (row + 1) * SIZE);
    const productWith = (centroid: number): number =>
      own.reduce((sum, value, i) => sum + value * centroids[centroid * SIZE + i], 0);
    for (let c = 1; c < 60; c++) if (productWith(c) > productWith(codes[row])) codes[row] = c;
    own.forEach((value, i) => {
      const centre = centroids[codes[row] * SIZE + i];
      const bucket = [-0.13, 0, 0.13].filter((cutoff) => value - centre > cutoff).length;
      packed[(row * SIZE + i) >> 2] |= bucket << (2 * (i % 4));
      decoded[row * SIZE + i] = centre + WEIGHTS[bucket];
    });
    const length = Math.hypot(...decoded.subarray(row * SIZE, (row + 1) * SIZE));
    for (let i = row * SIZE; i < (row + 1) * SIZE; i++) decoded[i] /= length;
  }
  await writeIndexFolder(folder, {}, async (writer) => {
    await writer.write('residuals.bin', [packed]);
    await writer.write('codes.bin', [bytesOf(codes)]);
    await writer.write('codebook.bin', [centroids, Float32Array.of(-0.13, 0, 0.13), WEIGHTS].map(bytesOf));
    await writer.write('offsets.bin', [bytesOf(source.offsets)]);
    await documentFiles({ ids: source.ids })(writer);
    return {
      ...{ type: 'tokens', dimension: SIZE, count: documents.length, storage: 'f32' },
      ...{ fingerprint: 'old', createdBy: 'nearmiss 0.1.0' },
      parameters: { bits: 2, rows: count, learned: count, centroids: 60 },
    };
  });
  return decoded;
}

test('an index from before there were codewords is searched and changed', async () => {
  const root = await mkdtemp(join(tmpdir(), 'nearmiss-old-tokens-'));
  try {
    const folder = join(root, 'index');
    const documents = tokenDocuments(200, 1);
    const decoded = await writeOld(folder, documents);
    const { offsets } = tokenSource(documents);
    const query = tokenDocuments(7, 3, 'q')[6].rows;
    const scoresOf = async (): Promise<Map<string, number>> => {
      const index = await openDocumentIndex(folder, { session });
      const { ids, scores } = await index.search(query, {
        k: index.count,
        queryOffsets: Uint32Array.of(0, query.length / SIZE),
      });
      await index.close();
      return new Map([...ids].map((id, i) => [index.ids!.idAt(id), scores[i]]));
    };
    const near = 4e-3 * (query.length / SIZE);
    const before = await scoresOf();
    documents.forEach(({ id }, i) => {
      const rows = decoded.subarray(offsets[i] * SIZE, offsets[i + 1] * SIZE);
      expect(Math.abs(before.get(id)! - maxSim(query, rows, SIZE))).toBeLessThan(near);
    });
    const later = tokenDocuments(40, 2, 'e');
    const changes = { remove: ['d0', 'd7'], add: tokenSource(later) };
    await changeDocumentIndex(folder, changes, { session });
    expect(await readdir(folder)).toContain('codewords.bin');
    const after = await scoresOf();
    expect(after.size).toBe(238);
    for (const { id } of documents)
      expect(after.get(id)).toBe(/^d[07]$/.test(id) ? undefined : before.get(id));
    for (const { id, rows } of later) {
      expect(Math.abs(after.get(id)! - maxSim(query, rows, SIZE))).toBeLessThan(0.2 * (query.length / SIZE));
    }
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});
