import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ROOT, readPages } from './docs.fixture.js';
import { fillWorld } from './jsdoc/world.fixture.js';
import { typeCheck } from './type-check.fixture.js';

interface Block {
  /** E.g. `docs.search.md-97`. */
  name: string;
  code: string;
}

/** Every program in the documentation; those of docs/library.md are files that test/examples.test.ts runs. */
const blocks: Block[] = readPages().flatMap(({ path, text }) =>
  [...text.matchAll(/^```(ts|js|typescript|javascript)\n([\s\S]*?)^```/gm)].map(([, language, code], i) => {
    const line = text.slice(0, text.indexOf(code)).split('\n').length - 1;
    return { name: `${path.replaceAll('/', '.')}-${line}-${language}${i}`, code };
  }),
);
const run = blocks.filter(({ name }) => !name.startsWith('docs.library.md'));

const AS_A_USER = {
  target: 'ES2023',
  module: 'NodeNext',
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  // The package's own types are part of what they check.
  skipLibCheck: false,
  noEmit: true,
};

const start = process.cwd();
let folder: string;
let complaints: Promise<string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-docs-'));
  mkdirSync(join(folder, 'node_modules'));
  // As whoever has installed it: the built package, with the types that it ships.
  symlinkSync(ROOT, join(folder, 'node_modules/nearmiss'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  for (const { name, code } of blocks) writeFileSync(join(folder, `${name}.ts`), code);
  mkdirSync(join(folder, 'library'));
  cpSync(join(ROOT, 'examples/library'), join(folder, 'library'), { recursive: true });
  complaints = typeCheck(folder, { compilerOptions: AS_A_USER, include: ['*.ts', 'library/*.ts'] });
  mkdirSync(join(folder, 'world'));
  await fillWorld(join(folder, 'world'));
  process.chdir(join(folder, 'world'));
  vi.spyOn(console, 'log').mockReturnValue();
});

afterAll(async () => {
  process.chdir(start);
  await complaints;
  await rm(folder, { recursive: true, force: true });
});

describe('a program in the documentation', () => {
  test('is TypeScript', () => {
    expect(blocks.length).toBeGreaterThan(15);
    expect(blocks.filter(({ name }) => !name.includes('-ts')).map(({ name }) => name)).toEqual([]);
  });

  test('pleases the compiler, under strict and exactOptionalPropertyTypes', async () => {
    expect(await complaints).toBe('');
  });

  test.each(run.map(({ name }) => name))('%s runs', async (name) => {
    await import(join(folder, `${name}.ts`));
  });
});
