import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';

const dist = resolve(import.meta.dirname, '../dist');
const main = join(dist, 'cli/main.js');
const folder = mkdtempSync(join(tmpdir(), 'start-files-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The files of the package that are loaded with one, without what is imported later. */
function loadedWith(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const code = readFileSync(file, 'utf8');
  for (const [, from] of code.matchAll(/^(?:import|export) (?:[^;]*? from )?"(\.[^"]+)";/gm)) {
    loadedWith(resolve(file, '..', from), seen);
  }
  return seen;
}

/** The CommonJS modules that Node.js tells of having loaded for a command. */
async function loadedBy(...args: string[]): Promise<string> {
  const { stderr } = await promisify(execFile)(process.execPath, [main, ...args], {
    env: { ...process.env, NODE_DEBUG: 'module' },
    maxBuffer: 2 ** 28,
  });
  return stderr;
}

test.each([
  ['the command line', 'cli/main.js', 20],
  ['the worker of BM25', 'index/bm25/search-worker.js', 8],
  ['the worker of vectors', 'index/vectors/index-worker.js', 20],
])('%s is a handful of files', (_, entry, most) => {
  const files = loadedWith(join(dist, entry));
  expect(files.size).toBeGreaterThan(1);
  expect(files.size).toBeLessThanOrEqual(most);
});

test('a search loads no HTTP framework, and help neither that nor a native library', async () => {
  writeFileSync(join(folder, 'a.md'), '# A boat\n\nA small boat on a lake.\n');
  const search = await loadedBy('search', folder, 'boat', '--mode', 'bm25');
  expect(search).toContain('commander');
  expect(search).not.toMatch(/node_modules.fastify/);
  const help = await loadedBy('--help');
  expect(help).toContain('commander');
  expect(help).not.toMatch(/node_modules.(?:fastify|onnxruntime|tokenizers|usearch)/);
});
