import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const { exports: subpaths, types } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  exports: Record<string, string>;
  types: string;
};
const modules = Object.entries(subpaths).filter(([, target]) => target.endsWith('.js'));

/** Names that a subpath gives to whoever imports the package by its name. */
async function namesOf(subpath: string): Promise<string[]> {
  const specifier = `nearmiss${subpath.slice(1)}`;
  const script = `import * as all from ${JSON.stringify(specifier)}; console.log(JSON.stringify(Object.keys(all)));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    cwd: root,
  });
  return JSON.parse(stdout);
}

describe('the built package', () => {
  test.each(modules)('%s is imported by its name, and has types', async (subpath, target) => {
    expect((await namesOf(subpath)).length).toBeGreaterThan(0);
    expect(existsSync(join(root, target.replace(/\.js$/, '.d.ts')))).toBe(true);
  });

  test('the root has the everyday names and every room', async () => {
    const names = await namesOf('.');
    expect(names).toEqual(
      expect.arrayContaining(['Encoder', 'loadEncoderModel', 'openDataset', 'evaluate', 'NearmissError']),
    );
    // Whoever only encodes or evaluates does not load an HTTP server.
    const rooms = modules
      .map(([subpath]) => subpath.slice(2))
      .filter((name) => !['', 'serve'].includes(name));
    expect(rooms.filter((room) => !names.includes(room === 'evaluate' ? 'evaluation' : room))).toEqual([]);
    expect(existsSync(join(root, types))).toBe(true);
  });

  test('a script without a file can import it', async () => {
    const script = "import('nearmiss').then(({ Encoder }) => console.log(typeof Encoder))";
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], {
      cwd: root,
    });
    expect(stdout).toBe('function\n');
  });

  test('no test code is published', () => {
    const files = readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' });
    expect(files.filter((name) => /\.(test|fixture|conformance)\.js$/.test(name))).toEqual([]);
  });
});
