import { spawnSync } from 'node:child_process';
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { trainTinyRun, writeTinyData } from '../src/analyze/tiny-run.fixture.js';

const MAIN = resolve(import.meta.dirname, '../dist/cli/main.js');
const NOBODY = 65_534;
const nobody = { uid: NOBODY, gid: NOBODY, env: { PATH: process.env.PATH, HOME: '/nonexistent' } };
const canBecomeNobody =
  process.getuid?.() === 0 && spawnSync(process.execPath, [MAIN, '--version'], nobody).status === 0;

let folder: string;
let run: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-read-only-'));
  await chmod(folder, 0o755);
  await writeTinyData(folder);
  run = (await trainTinyRun(folder, 'run')).path;
  await writeFile(join(folder, 'file'), 'mine');
});
afterAll(() => rm(folder, { recursive: true }));

function nearmiss(args: string[], options: object = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
    cwd: folder,
    encoding: 'utf8',
    ...options,
  });
  return { status, stdout, stderr };
}

/** What is wrong, what to do about it, and no stack trace. */
function expectRefusal(args: string[], message: string | RegExp, hint: string, options?: object): void {
  const { status, stderr } = nearmiss(args, options);
  expect(stderr).toMatch(message);
  expect(stderr).toContain(`  → ${hint}`);
  expect(stderr).not.toContain('--debug');
  expect(status).toBe(1);
}

const TRAIN = ['train', '--data', 'data', '--recipe', 'tiny', '--create-only', '--quiet', '--out'];

describe('a new run', () => {
  test('is not mixed into a folder with other files, nor put in place of a file or below one', async () => {
    expectRefusal(
      [...TRAIN, 'data'],
      'data: expected a run and nothing else, got corpus.jsonl',
      'corpus.jsonl',
    );
    expectRefusal([...TRAIN, 'file'], 'file: expected a folder, got a file', 'choose another name');
    expectRefusal([...TRAIN, 'file/run'], 'file/run: cannot write: ENOTDIR', 'choose a folder');
  });

  test('leaves nothing behind where it cannot start, and goes on with what an interrupted start left', async () => {
    const unknown = ['--recipe', 'ance-firstp', '--set', 'model.init=./nowhere'];
    expectRefusal([...TRAIN, 'q2', ...unknown], 'nowhere', '');
    expect(await readdir(folder)).not.toContain('q2');
    const begun = join(folder, 'begun');
    expect(nearmiss([...TRAIN, begun]).status).toBe(0);
    await rm(join(begun, 'run.json'));
    expect(nearmiss([...TRAIN, begun]).status).toBe(0);
    expect(await readdir(begun)).toContain('run.json');
  });
});

test('keys cannot be kept below a file', () => {
  expectRefusal(
    ['serve', 'keys', 'add', '--file', 'file/k.json'],
    'file/k.json: cannot write',
    'name a file',
  );
});

describe.skipIf(!canBecomeNobody)('as somebody who may only read', () => {
  test('a search says where it could keep what it makes, and works there', async () => {
    const hint =
      'what a search needs is made once and kept: name a folder you may write to with NEARMISS_CACHE';
    expectRefusal(['search', 'data', 'x'], 'data/.nearmiss/documents: cannot write: EACCES', hint, nobody);
    const cache = await mkdtemp(join(tmpdir(), 'nearmiss-read-only-cache-'));
    await chmod(cache, 0o777);
    const env = { ...nobody.env, NEARMISS_CACHE: cache };
    expect(nearmiss(['search', 'data', 'x'], { ...nobody, env })).toMatchObject({ status: 0 });
    expect(nearmiss(['search', 'data', 'x'])).toMatchObject({ status: 0 });
    // What its owner has made is enough.
    expect(nearmiss(['search', 'data', 'x'], nobody)).toMatchObject({ status: 0 });
    await rm(cache, { recursive: true });
  });

  test('a finished run is analysed, and written about elsewhere', async () => {
    const analyze = ['analyze', run, '--queries', '20', '--threads', '1', '--quiet'];
    expectRefusal(analyze, /run\/report|run: cannot write: EACCES/, 'choose a place', nobody);
    const report = ['report', run, '--queries', '20', '--threads', '1', '--quiet'];
    expectRefusal(report, 'run: cannot write: EACCES', 'choose a place', nobody);
    const out = await mkdtemp(join(tmpdir(), 'nearmiss-read-only-out-'));
    await chmod(out, 0o777);
    expect(nearmiss([...analyze, '--only', 'gradients', '--out', join(out, 'r')], nobody)).toMatchObject({
      status: 0,
    });
    const page = [...report, '--out', join(out, 'r.html')];
    expectRefusal(page, 'cannot write: EACCES', 'a run keeps what is made of it in its cache', nobody);
    expect(nearmiss([...report])).toMatchObject({ status: 0 });
    expect(nearmiss(page, nobody)).toMatchObject({ status: 0 });
    await rm(out, { recursive: true });
  });

  test('going on with a run that may only be read says so', () => {
    expectRefusal(['trainer', run], 'run: cannot write: EACCES', 'a run keeps', nobody);
    expectRefusal([...TRAIN, 'new'], 'new: cannot write: EACCES', 'choose a folder', nobody);
  });
});
