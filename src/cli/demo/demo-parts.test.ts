import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Ranking, Run } from '../../evaluate/index.js';
import { busyWarning, checkMachine, machineState } from './check-machine.js';
import { DemoFolder } from './demo-folder.js';
import { largestGains } from './examples.js';
import { demoRows } from './result.js';

const QUERIES = ['q1', 'q2', 'q3', 'q4', 'q5'];
const qrels = new Map(QUERIES.map((query) => [query, new Map([[`answer-${query}`, 1]])]));

/** A run that has each query's answer at a rank; 0 where it is not found. */
function runWith(ranks: readonly number[]): Run {
  const rankings = QUERIES.map((query, q): [string, Ranking] => {
    const ids = Array.from({ length: 10 }, (_, i) => (i + 1 === ranks[q] ? `answer-${query}` : `other-${i}`));
    return [query, { ids, scores: Float64Array.from(ids, (_, i) => 10 - i) }];
  });
  return { tag: 'made-up', rankings: new Map(rankings) };
}

test('the table: measures, and the last system against each other one', () => {
  const rows = demoRows(
    [
      { name: 'BM25', run: runWith([0, 0, 2, 1, 0]), steps: 0 },
      { name: 'ANCE', run: runWith([1, 1, 1, 2, 1]), steps: 40 },
    ],
    qrels,
  );
  expect(rows[0].measures['RR@10']).toBeCloseTo(0.3);
  expect(rows[1].measures['RR@10']).toBeCloseTo(0.9);
  expect(rows[0].ance).toMatchObject({ wins: 4, losses: 1 });
  expect(rows[0].ance?.difference).toBeCloseTo(0.6);
  expect(rows[0].ance?.p).toBeGreaterThan(0.05);
  expect(rows[1].ance).toBeUndefined();
});

test('examples: first after training, deepest before; what was first already is no gain', () => {
  const before = runWith([5, 0, 1, 9, 3]);
  const after = runWith([1, 1, 1, 2, 1]);
  expect(largestGains(qrels, { before, after }, 3)).toEqual(['q2', 'q1', 'q5']);
});

describe('a machine that is too small is refused with what to do', () => {
  const needs = { diskMb: 2000, memoryMb: 1700 };
  const state = { freeDiskMb: 5000, memoryMb: 4000, availableMemoryMb: 3000 };
  const place = { needs, folder: 'out', begun: false };

  test('disk, unless an earlier start has used it', () => {
    const full = { ...state, freeDiskMb: 10 };
    expect(() => checkMachine({ ...place, state: full })).toThrow(
      'out: expected 2,000 MB of free disk space, got 10 MB',
    );
    expect(() => checkMachine({ ...place, state: full, begun: true })).not.toThrow();
  });

  test('memory', () => {
    expect(() => checkMachine({ ...place, state: { ...state, memoryMb: 512 } })).toThrow(
      'expected 1,700 MB of memory, got 512 MB',
    );
    expect(() => checkMachine({ ...place, state })).not.toThrow();
    expect(busyWarning(needs, state)).toBeUndefined();
    expect(busyWarning(needs, { ...state, availableMemoryMb: 900 })).toContain(
      'only 900 MB of memory are free',
    );
  });

  test('a folder that is not there yet is on a disk all the same', async () => {
    const real = await machineState(join(tmpdir(), 'nearmiss-not-there', 'yet'));
    expect(real.freeDiskMb).toBeGreaterThan(0);
    expect(real.memoryMb).toBeGreaterThanOrEqual(real.availableMemoryMb);
  });
});

test('a folder goes on only as what it was begun as', async () => {
  const path = await mkdtemp(join(tmpdir(), 'nearmiss-demo-folder-'));
  try {
    const folder = new DemoFolder(path);
    const settings = { format: 1, size: 'quick', seed: 42, recipes: { ance: 'a' } } as const;
    expect(await folder.isBegun(settings)).toBe(false);
    await folder.begin(settings);
    expect(await folder.isBegun(settings)).toBe(true);
    await expect(folder.isBegun({ ...settings, seed: 7 })).rejects.toThrow('begun with seed 42, expected 7');
    await expect(folder.isBegun({ ...settings, recipes: { ance: 'b' } })).rejects.toThrow('other recipes');
    await writeFile(join(path, 'demo.json'), '{"format": 1, "size": 3}');
    await expect(folder.isBegun(settings)).rejects.toThrow(/demo\.json: field "size": expected string/);
  } finally {
    await rm(path, { recursive: true });
  }
});
