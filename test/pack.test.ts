import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const root = resolve(import.meta.dirname, '..');
let folder: string;
let packed: { filename: string; unpackedSize: number; files: { path: string }[] };

async function run(command: string, args: string[], cwd: string): Promise<string> {
  // Without this, ONNX Runtime's install fetches CUDA files from another host.
  const env = { ...process.env, ONNXRUNTIME_NODE_INSTALL: 'skip' };
  const { stdout } = await promisify(execFile)(command, args, { cwd, env, maxBuffer: 2 ** 26 });
  return stdout;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-pack-'));
  // The package is built already; its scripts would build it again under the other tests.
  const flags = ['--json', '--ignore-scripts', '--pack-destination', folder];
  [packed] = JSON.parse(await run('npm', ['pack', ...flags], root));
  await mkdir(join(folder, 'app'));
  await writeFile(join(folder, 'app/package.json'), '{ "private": true, "type": "module" }\n');
  const quiet = ['--prefer-offline', '--no-audit', '--no-fund'];
  await run('npm', ['install', ...quiet, join(folder, packed.filename)], join(folder, 'app'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('is small, and holds what it needs and no tests', () => {
  const paths = packed.files.map(({ path }) => path);
  expect(packed.unpackedSize).toBeLessThan(4e6);
  for (const needed of ['dist/cli/main.js', 'dist/web/index.html', 'recipes/demo-ance.yaml', 'LICENSE']) {
    expect(paths).toContain(needed);
  }
  expect(paths.filter((path) => /\.(?:test|fixture)\.|^(?:test|src|docs)\//.test(path))).toEqual([]);
});

test('runs the demo where it was installed', async () => {
  const app = join(folder, 'app');
  expect(await run('npx', ['nearmiss', '--version'], app)).toMatch(/^\d+\.\d+\.\d+/);
  const { rows } = JSON.parse(await run('npx', ['nearmiss', 'demo', '--quick', '--quiet', '--json'], app));
  expect(rows.map(({ system }: { system: string }) => system)).toEqual([
    'BM25',
    'MiniLM',
    'Rand Neg',
    'ANCE',
  ]);
});

test('runs the examples of the library there', async () => {
  const app = join(folder, 'app');
  for (const name of ['custom-loss.mjs', 'custom-negatives.mjs', 'search.mjs']) {
    await copyFile(join(root, 'examples/library', name), join(app, name));
  }
  expect(await run('node', ['custom-loss.mjs'], app)).toContain('step 9: loss');
  expect(await run('node', ['custom-negatives.mjs'], app)).toContain('query 1: 3 5');
  const found = await run('node', ['search.mjs', 'nearmiss-demo/ance', 'a small boat'], app);
  expect(found.trim().split('\n')).toHaveLength(5);
});
