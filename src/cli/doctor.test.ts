import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkMemory, checkNode, examine } from './doctor.js';

test('this machine can run everything', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-doctor-'));
  const checks = await examine(folder);
  await rm(folder, { recursive: true });
  expect(checks.filter(({ state }) => state === 'fail')).toEqual([]);
  expect(checks.map(({ name }) => name)).toContain('ONNX Runtime');
  expect(checks.find(({ name }) => name === 'ONNX Runtime')?.found).toContain('cpu');
});

test.each([
  ['is not there', join(tmpdir(), 'nearmiss-is-not-here'), 'ENOENT'],
  ['is a file', import.meta.filename, 'expected a folder, got a file'],
  ['is below a file', join(import.meta.filename, 'below'), 'ENOTDIR'],
])('a folder that %s fails with what to do', async (_, folder, found) => {
  const checks = await examine(folder);
  expect(checks.filter(({ state }) => state === 'fail')).toEqual([
    expect.objectContaining({
      name: 'folder',
      found: expect.stringContaining(found),
      hint: expect.stringContaining('folder'),
    }),
  ]);
});

test.each([
  ['18.20.0', 'fail'],
  ['20.18.9', 'fail'],
  ['20.19.0', 'ok'],
  ['22.1.0', 'ok'],
])('Node.js %s: %s', (version, state) => {
  expect(checkNode(version).state).toBe(state);
});

test.each([
  [1, 'fail'],
  [2, 'warn'],
  [8, 'ok'],
])('%i GiB of memory: %s', (gib, state) => {
  const check = checkMemory(16 * 2 ** 30, gib * 2 ** 30);
  expect(check.state).toBe(state);
  expect(check.hint !== undefined).toBe(state !== 'ok');
});
