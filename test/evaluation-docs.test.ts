import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runShown, shownCommands } from './console-blocks.fixture.js';

const docs = resolve(import.meta.dirname, '../docs');
const commands = shownCommands(await readFile(join(docs, 'evaluation.md'), 'utf8'));

describe.sequential('docs/evaluation.md', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'nearmiss-docs-'));
    await cp(join(docs, 'examples/evaluation'), folder, { recursive: true });
  });
  afterAll(() => rm(folder, { recursive: true }));

  test('shows every command of this part', () => {
    const verbs = new Set(commands.map(({ command }) => command.split(' ')[1]));
    expect([...verbs].sort()).toEqual(['compare', 'eval', 'fuse']);
  });

  test.each(commands)('$ $command', async ({ command, output }) => {
    const result = await runShown(command, folder);
    expect(result.stdout).toBe(output);
    expect(result.code).toBe(0);
  });
});
