import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { NearmissError } from '../../base/errors.js';
import { readJsonFile } from '../../base/json-file.js';
import { smallTable } from '../negatives.fixture.js';
import { CandidateTable } from './candidate-table.js';
import { mergeTables, replacedShare, stalestQueries } from './refreshed-tables.js';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-candidates-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function failure(action: Promise<unknown>): Promise<NearmissError> {
  const error = await action.then(
    () => undefined,
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(NearmissError);
  return error;
}

const ROWS = { 0: [5, 3, 1], 1: [], 2: [9] };

describe('saved and loaded', () => {
  test('is the same, down to the manifest', async () => {
    const table = await smallTable(ROWS, { checkpoint: 300 });
    const manifest = await table.save(join(folder, 'same'));
    const loaded = await CandidateTable.load(join(folder, 'same'), { queryCount: 3 });
    expect(loaded).toEqual(table);
    expect(await readManifest(join(folder, 'same', 'manifest.json'))).toEqual(
      JSON.parse(JSON.stringify(manifest)),
    );
    expect(manifest).toMatchObject({ queries: 3, depth: 10, source: 'ann', checkpoint: 300 });
    const again = await loaded.save(join(folder, 'again'));
    expect(again.fingerprint).toBe(manifest.fingerprint);
    const other = await smallTable({ ...ROWS, 2: [8] }, { checkpoint: 300 });
    expect((await other.save(join(folder, 'other'))).fingerprint).not.toBe(manifest.fingerprint);
    await expect(table.save(join(folder, 'same'))).rejects.toThrow('already exists');
  });

  test('a table of other data is refused', async () => {
    const table = await smallTable(ROWS);
    const path = join(folder, 'foreign');
    await table.save(path);
    expect((await failure(CandidateTable.load(path, { queryCount: 4 }))).message).toContain(
      'field "queries": expected 4, got 3',
    );
    expect((await failure(CandidateTable.load(path, { dataFingerprint: 'abc' }))).message).toContain(
      'field "dataFingerprint": expected abc, got nothing',
    );
  });

  test.each(['ids.bin', 'scores.bin', 'ranks.bin', 'checkpoints.bin'])(
    'damage to %s is found',
    async (name) => {
      const path = join(folder, `damaged-${name}`);
      const file = join(path, name);
      await (await smallTable(ROWS)).save(path);
      const bytes = await readFile(file);
      const changed = Buffer.from(bytes);
      changed[1] ^= 1;
      await writeFile(file, changed);
      expect((await failure(CandidateTable.load(path))).message).toBe(
        `${file}: the file is damaged: its checksum is wrong`,
      );
      await truncate(file, bytes.length - 4);
      const cut = await failure(CandidateTable.load(path));
      expect(cut.message).toBe(`${file}: expected ${bytes.length} bytes, got ${bytes.length - 4}`);
      expect(cut.hint).toContain('mine again');
      await rm(file);
      expect((await failure(CandidateTable.load(path))).message).toBe(`${file}: no such file`);
    },
  );

  test('damage to the manifest is found', async () => {
    const path = join(folder, 'manifest');
    const file = join(path, 'manifest.json');
    await (await smallTable(ROWS)).save(path);
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.slice(0, 100));
    expect((await failure(CandidateTable.load(path))).message).toContain(`${file}:`);
    await writeFile(file, text.replace('"queries": 3', '"queries": 2'));
    expect((await failure(CandidateTable.load(path))).message).toContain(`${file}: the file is damaged`);
    await writeFile(file, text);
    const manifest = await readManifest(file);
    // Tables of earlier versions have no checksum of the manifest.
    await writeFile(file, JSON.stringify({ ...manifest, queries: 2 }));
    expect((await failure(CandidateTable.load(path))).message).toContain(
      'field "files.ids.bin": expected 80 bytes for 2 queries of depth 10, got 120',
    );
    await writeFile(file, JSON.stringify({ ...manifest, version: 2 }));
    expect((await failure(CandidateTable.load(path))).message).toContain('field "version"');
    expect((await failure(CandidateTable.load(join(folder, 'nowhere')))).hint).toContain('nearmiss mine');
    expect(existsSync(join(folder, 'nowhere'))).toBe(false);
  });
});

function readManifest(path: string): Promise<Record<string, unknown>> {
  return readJsonFile(path, z.record(z.string(), z.unknown()));
}

describe('refresh of a share', () => {
  test('every query is mined once in ⌈1 / share⌉ refreshes, whatever came before', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(3), { minLength: 1, maxLength: 60 }),
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        (ages, share) => {
          let table = agedTable(ages);
          for (let step = 100; step < 100 + Math.ceil(1 / share); step++) {
            const queries = stalestQueries(table, share);
            expect(Math.abs(queries.length - share * ages.length)).toBeLessThan(2);
            table = mergeTables(table, agedTable(ages.map(() => step)), queries);
          }
          expect(Math.min(...table.checkpoints)).toBeGreaterThanOrEqual(100);
        },
      ),
      { seed: 5 },
    );
    expect([...stalestQueries(agedTable([7, 7, 7, 7]), 1)]).toEqual([0, 1, 2, 3]);
    expect([...stalestQueries(agedTable([20, 20, 10, 10, 10]), 0.4)]).toEqual([2, 3]);
    expect(() => stalestQueries(agedTable([1]), 0)).toThrow('expected a number above 0');
  });

  test('fresh rows for those whose turn it is, the others keep theirs and their checkpoint', async () => {
    const before = await smallTable({ 0: [1, 2], 1: [3], 2: [4, 5], 3: [6] }, { checkpoint: 100 });
    const fresh = await smallTable({ 2: [4, 7, 8], 3: [] }, { checkpoint: 200, queryCount: 4 });
    const merged = mergeTables(before, fresh, Int32Array.of(2, 3));
    expect([0, 1, 2, 3].map((query) => [...merged.row(query).ids])).toEqual([[1, 2], [3], [4, 7, 8], []]);
    expect([...merged.checkpoints]).toEqual([100, 100, 200, 200]);
    expect(merged.provenance.checkpoint).toBe(200);
    expect([...before.row(3).ids]).toEqual([6]);
    expect(replacedShare(before, merged)).toBeCloseTo(2 / 6);
    expect(replacedShare(before, before)).toBe(0);
    const other = await smallTable({ 0: [1] }, { depth: 5 });
    expect(() => mergeTables(before, other, Int32Array.of(0))).toThrow('two tables of the same size');
  });
});

/** A table without candidates whose queries were ranked by these checkpoints. */
function agedTable(checkpoints: readonly number[]): CandidateTable {
  const report = { queries: 0, ranked: 0, removed: {}, kept: 0, empty: 0, positivesFound: 0, meanRank: 0 };
  return new CandidateTable({
    ...CandidateTable.allocate(checkpoints.length, 1),
    checkpoints: Int32Array.from(checkpoints),
    provenance: { source: 'ann', rules: [], report, createdBy: 'test' },
  });
}
