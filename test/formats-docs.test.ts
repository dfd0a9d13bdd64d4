import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FILE_FORMAT_SUMMARIES, FOLDER_FORMAT_SUMMARIES } from '../src/data/format-names.js';
import { validateDataset } from '../src/data/validate.js';
import { runBuiltCli, runShown, shownCommands } from './console-blocks.fixture.js';

const page = await readFile(resolve(import.meta.dirname, '../docs/formats.md'), 'utf8');
const commands = shownCommands(page);
/** Blocks that open with ```kind file=name. */
const samples = [...page.matchAll(/^```\w+ file=(\S+)\n(.*?)^```$/gms)].map(([, name, content]) => ({
  name,
  content,
}));

describe.sequential('docs/formats.md', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'nearmiss-formats-'));
    for (const { name, content } of samples) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), content);
    }
  });
  afterAll(() => rm(folder, { recursive: true }));

  test('shows every command of this part', () => {
    const verbs = new Set(commands.map(({ command }) => command.split(' ')[2]));
    expect([...verbs].sort()).toEqual(['export', 'import', 'sample', 'split', 'stats', 'validate']);
  });

  test.each(commands)('$ $command', async ({ command, output }) => {
    const result = await runShown(command, folder);
    expect(result.stdout, result.stderr).toBe(output);
    expect(result.code).toBe(output.includes('error: ') ? 1 : 0);
  });

  test('every imported sample is valid', async () => {
    const outs = commands
      .filter(({ command }) => command.includes(' import '))
      .map(({ command }) => command.split(' ')[4]);
    expect(outs.length).toBeGreaterThan(12);
    for (const out of outs) {
      const { problems } = await validateDataset(join(folder, out));
      expect(problems).toEqual([]);
    }
  });

  test('the help of import lists every format', async () => {
    const { stdout } = await runBuiltCli(['data', 'import', '--help']);
    for (const name of [...Object.keys(FILE_FORMAT_SUMMARIES), ...Object.keys(FOLDER_FORMAT_SUMMARIES)]) {
      expect(stdout).toMatch(new RegExp(`^  ${name} +\\S`, 'm'));
    }
  });
});
