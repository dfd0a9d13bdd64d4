import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installedNouns } from '../src/data/wordnet/read-nouns.js';

const MAIN = resolve(import.meta.dirname, '../dist/cli/main.js');
/** Alone it takes 20 s on 2 cores; the rest is for machines that others use, too. */

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-demo-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function nearmiss(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [MAIN, 'demo', ...args], { encoding: 'utf8', cwd: folder });
}

/** Waits until a process has written a text to stderr. */
async function said(child: ChildProcess, text: string): Promise<void> {
  let output = '';
  for await (const chunk of child.stderr!.iterator({ destroyOnReturn: false })) {
    output += chunk;
    if (output.includes(text)) return;
  }
  throw new Error(`ended without "${text}":\n${output}`);
}

describe.skipIf(installedNouns() === undefined)('the quick demo', () => {
  test('Ctrl-C during the training is explained, the same command goes on to the table, and once more changes nothing', async () => {
    const child = spawn(process.execPath, [MAIN, 'demo', '--quick', '--out', 'demo'], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    await said(child, 'train  step');
    let rest = '';
    child.stderr!.on('data', (chunk) => {
      rest += chunk;
    });
    const ended = once(child, 'exit');
    child.kill('SIGINT');
    expect(await ended).toEqual([130, null]);
    expect(rest).toContain('The same command goes on from here');
    expect(existsSync(join(folder, 'demo', 'results.json'))).toBe(false);

    const resumed = nearmiss('--quick', '--out', 'demo');
    expect(resumed.stderr).toContain('Goes on with demo');
    expect(resumed.stderr).toContain('collection: there already');
    expect(resumed.status).toBe(0);
    expect(resumed.stdout).toMatch(/^system +RR@10 +R@1 +nDCG@10 +R@100 +steps/);
    for (const system of ['BM25', 'MiniLM', 'Rand Neg', 'ANCE']) {
      expect(resumed.stdout).toMatch(new RegExp(`^${system} +\\.\\d{3} `, 'm'));
    }
    expect(resumed.stdout).toContain('nearmiss search demo/ance "');
    expect(await readFile(join(folder, 'demo', 'report', 'index.html'), 'utf8')).toContain('<svg');

    // What only a training that goes on would read is two thirds of a checkpoint.
    const kept = await readdir(join(folder, 'demo', 'ance', 'checkpoints', 'step-000008'));
    expect(kept).toContain('model.safetensors');
    expect(kept.filter((name) => name.startsWith('optimizer-'))).toEqual([]);

    const again = nearmiss('--quick', '--out', 'demo', '--json', '--quiet');
    expect(again.stderr).toBe('');
    const outcome = JSON.parse(again.stdout);
    expect(outcome).toMatchObject({ size: 'quick', seed: 42, documents: 400, test: 100, layers: 1 });
    expect(outcome.rows.map(({ steps }: { steps: number }) => steps)).toEqual([0, 0, 8, 8]);
    const [bm25, , , ance] = outcome.rows;
    expect(bm25.ance.difference).toBeCloseTo(ance.measures['RR@10'] - bm25.measures['RR@10'], 10);
    expect(again.stdout).toContain(JSON.stringify(outcome.rows));
    const shown = resumed.stdout.match(/^ANCE +(\.\d{3})/m)![1];
    expect(ance.measures['RR@10']).toBeCloseTo(Number(shown), 2);
  });

  test('another seed is not mixed with what is there', () => {
    const { status, stderr } = nearmiss('--quick', '--out', 'demo', '--seed', '7');
    expect(status).toBe(1);
    expect(stderr).toContain('demo: this demo was begun with seed 42, expected 7');
    expect(stderr).toContain('--out');
  });
});

test('a typo in a flag, and flags that exclude each other', () => {
  const typo = nearmiss('--quik');
  expect(typo.status).toBe(2);
  expect(typo.stderr).toContain('Did you mean --quick?');
  const both = nearmiss('--quick', '--full');
  expect(both.status).toBe(2);
  expect(both.stderr).toContain("'--quick' cannot be used with option '--full'");
});

test('a place where nothing can be written, and a folder with other things in it', async () => {
  await writeFile(join(folder, 'file'), '');
  const inFile = nearmiss('--quick', '--out', 'file/demo');
  expect(inFile.status).toBe(1);
  expect(inFile.stderr).toMatch(
    /file\/demo\/demo\.json: cannot write: .*\n {2}→ choose a folder you may write to/,
  );
  expect(inFile.stderr).not.toContain('    at ');
  const foreign = nearmiss('--quick', '--out', '.');
  expect(foreign.status).toBe(1);
  expect(foreign.stderr).toContain('expected a new folder or one of an earlier demo, got other files');
});
