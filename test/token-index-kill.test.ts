import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hasCode } from '../src/base/errors.js';
import { Random } from '../src/engine/index.js';
import { openDocumentIndex } from '../src/index/vectors/index.js';
import { VectorFileWriter } from '../src/model/tensors/vector-file.js';
import { runBuiltCli } from './console-blocks.fixture.js';
import { exitOf } from './kill.fixture.js';

const CLI = resolve(import.meta.dirname, '../dist/cli/main.js');
const DIMENSION = 32;
const TOKENS = 20;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-token-kill-'));
  await writeTokens('first.npy', 'd', 600);
  await writeTokens('more.npy', 'e', 300);
  await mkdir(join(folder, 'docs'));
  await writeFile(join(folder, 'docs', 'one.txt'), 'a text');
  await writeFile(join(folder, 'gone.txt'), Array.from({ length: 200 }, (_, i) => `d${i * 2}\n`).join(''));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function writeTokens(name: string, prefix: string, documents: number): Promise<void> {
  const random = Random.from(documents, name);
  const writer = await VectorFileWriter.create(join(folder, name), { dimension: DIMENSION, ids: true });
  for (let document = 0; document < documents; document++) {
    const vectors = Float32Array.from({ length: TOKENS * DIMENSION }, () => random.normal() / 6);
    const offsets = Uint32Array.of(0, TOKENS);
    await writer.write({ vectors, offsets }, [`${prefix}${document}`]);
  }
  await writer.commit();
}

/** The documents of the index as whoever opens it next sees them; nothing where there is none. */
async function state(index: string): Promise<string> {
  if (!existsSync(join(folder, index))) return 'none';
  const opened = await openDocumentIndex(join(folder, index), { session: { threads: 1 } });
  const query = new Float32Array(DIMENSION).fill(0.1);
  const { ids } = await opened.search(query, { k: opened.count, queryOffsets: Uint32Array.of(0, 1) });
  const names = [...ids].map((id) => opened.ids!.idAt(id)).toSorted();
  await opened.close();
  return names.join(' ');
}

/** What the folder holds, as far as names and sizes tell. */
function contents(): string {
  try {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    return files
      .toSorted()
      .map((file) => `${file} ${statSync(join(folder, file), { throwIfNoEntry: false })?.size}`)
      .join();
  } catch (error) {
    // A folder in it was renamed while it was read, which is a change, too.
    if (hasCode(error, 'ENOENT')) return 'something is gone';
    throw error;
  }
}

/** Kills a command when it has changed the folder so many times; whether it was there to be killed. */
async function killAtChange(args: string[], changes: number): Promise<boolean> {
  let seen = contents();
  const child = spawn(process.execPath, [CLI, 'index', ...args, '--threads', '1', '--quiet'], {
    cwd: folder,
    stdio: 'ignore',
  });
  const exit = exitOf(child);
  for (let left = changes; left > 0 && child.exitCode === null; await setImmediate()) {
    const now = contents();
    if (now !== seen) left--;
    seen = now;
  }
  child.kill('SIGKILL');
  return (await exit) !== 0;
}

/** Kills a command at its first change, its second, its fourth …; afterwards everything is as before or as after. */
async function underFire(index: string, args: string[], after: string): Promise<void> {
  const before = await state(index);
  for (let changes = 1; await killAtChange(args, changes); changes += 1 + (changes >> 1)) {
    const now = await state(index);
    if (now === after) return;
    expect(now).toBe(before);
  }
  expect(await state(index)).toBe(after);
}

const names = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}${i}`);

test.each(['2', 'exact'])(
  '%s: killed while building, adding and removing, it is as before or as after',
  async (bits) => {
    const index = `index-${bits}`;
    const first = names('d', 600);
    const more = [...first, ...names('e', 300)];
    const left = more.filter(
      (name) => !name.startsWith('d') || Number(name.slice(1)) % 2 || Number(name.slice(1)) >= 400,
    );
    await underFire(
      index,
      ['first.npy', index, '--type', 'tokens', '--bits', bits],
      first.toSorted().join(' '),
    );
    await underFire(index, ['more.npy', index, '--append'], more.toSorted().join(' '));
    await underFire(index, ['gone.txt', index, '--delete'], left.toSorted().join(' '));
    // Whoever writes next has cleared away what kills left.
    const { code } = await runBuiltCli(['index', 'first.npy', `${index}-next`, '--quiet'], { cwd: folder });
    expect(code).toBe(0);
    expect((await readdir(folder)).filter((name) => name.includes('.partial-'))).toEqual([]);
  },
);

test('what the command says, and refuses', async () => {
  const run = (...args: string[]) => runBuiltCli(['index', ...args], { cwd: folder });
  const made = await run('first.npy', 'said', '--type', 'tokens', '--bits', '2', '--model', 'one');
  expect(made.stderr).toContain(
    'index 12,000 tokens of 32 in 2 bits with 512 centroids: about 0.2 MB on disk',
  );
  expect(made.stderr).toMatch(
    /draw a sample of tokens: 12,000 tokens in .*\nlearn centroids: \d rounds in .*\ncompress tokens: 12,000 tokens in /,
  );
  expect(made.stdout).toBe('said: 12,000 tokens of 600 documents, dimension 32, tokens 2 bits\n');
  expect((await run('more.npy', 'said', '--append')).stdout).toBe(
    'said: 300 documents added, 0 removed, 900 documents now\n',
  );
  const again = await run('more.npy', 'said', '--append');
  expect(again.stderr).toContain('the document "e0" is there already');
  expect(again.code).toBe(1);
  const others = await run('more.npy', 'said', '--append', '--delete', '--model', 'two');
  expect(others.stderr).toContain('said: was encoded by one, got vectors of two');
  expect((await run('more.npy', 'said', '--append', '--delete', '--model', 'one')).stdout).toBe(
    'said: 300 documents added, 300 removed, 900 documents now\n',
  );
  await truncate(join(folder, 'said', 'meta.json'), 20);
  const cut = await runBuiltCli(['search', 'said', 'a question', '--model', 'minilm', '--data', 'docs'], {
    cwd: folder,
  });
  expect(cut.stderr).toContain('said/meta.json');
  expect(cut.code).toBe(1);
  expect((await run('first.npy', 'x', '--bits', '2')).code).toBe(2);
  expect((await run('first.npy', 'x', '--type', 'tokens', '--bits', '3')).code).toBe(2);
  expect((await run('more.npy', 'said', '--append', '--overwrite')).code).toBe(2);
  const bits = await run('more.npy', 'said', '--append', '--bits', '4');
  expect(bits.stderr).toContain('--bits is for building an index, --append and --delete leave it as it is');
  expect(bits.code).toBe(2);
});
