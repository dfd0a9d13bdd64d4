import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTinyRun, trainTinyRun, writeTinyData } from '../src/analyze/tiny-run.fixture.js';

const MAIN = resolve(import.meta.dirname, '../dist/cli/main.js');

let folder: string;
let run: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-analyze-cli-'));
  await writeTinyData(folder);
  run = (await trainTinyRun(folder, 'run')).path;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function nearmiss(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8' });
}

test('prints tables and writes the report into the run', () => {
  const { status, stdout, stderr } = nearmiss('analyze', run, '--queries', '20', '--threads', '1');
  expect(stderr).toContain(`report: ${join(run, 'report', 'index.html')}`);
  expect(status).toBe(0);
  expect(stdout).toContain('Gradient norm at the last layer, by source of negatives');
  expect(stdout).toMatch(/true top +100 % +100 %/);
  expect(existsSync(join(run, 'report', 'gradient-norm.svg'))).toBe(true);
});

test('--json prints the analysis alone, --only limits it, --out moves it', () => {
  const out = join(folder, 'elsewhere');
  const { status, stdout } = nearmiss('analyze', run, '--only', 'curves', '--json', '--quiet', '--out', out);
  expect(status).toBe(0);
  const analysis = JSON.parse(stdout);
  expect(analysis.curves.steps).toBe(30);
  expect(analysis.gradients).toBeUndefined();
  expect(existsSync(join(out, 'index.html'))).toBe(true);
});

test('what is wrong is told without a stack trace, and wrong usage has exit code 2', async () => {
  const noRun = nearmiss('analyze', folder);
  expect(noRun.status).toBe(1);
  expect(noRun.stderr).toMatch(/: not a run: expected run\.json in it\n {2}→ runs in it: \S/);
  const [nothing, empty] = [join(folder, 'nothing'), nearmiss('analyze', join(folder, 'nothing'))];
  expect(empty.stderr).toBe(
    `nearmiss: ${nothing}: not a run: expected run.json in it\n  → start one with \`nearmiss train --data DIR --recipe NAME --out RUN\`\n`,
  );
  const begun = await startTinyRun(folder, 'begun');
  const early = nearmiss('analyze', begun.path);
  expect(early.status).toBe(1);
  expect(early.stderr).toContain('this run has no checkpoint yet');
  expect(early.stderr).not.toContain('    at ');
  const wrong = nearmiss('analyze', run, '--only', 'curve');
  expect(wrong.status).toBe(2);
  expect(wrong.stderr).toContain('got "curve"');
  const alone = nearmiss('analyze', run, '--only', 'compare');
  expect(alone.status).toBe(2);
  expect(alone.stderr).toContain('expected two runs or more, got one');
  const into = nearmiss('analyze', run, '--out', folder, '--only', 'curves');
  expect(into.status).toBe(1);
  expect(into.stderr).toContain("expected a run's report and nothing else, got");
});

test('the help has every part and examples', () => {
  const { stdout } = nearmiss('analyze', '--help');
  for (const part of ['curves', 'gradients', 'long-tail', 'overlap', 'bm25', 'costs', 'compare']) {
    expect(stdout).toMatch(new RegExp(`^  ${part} `, 'm'));
  }
  expect(stdout).toContain('nearmiss analyze runs/medquad --only curves');
});
