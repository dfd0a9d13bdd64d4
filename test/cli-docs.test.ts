import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { buildProgram } from '../src/cli/run.js';
import { cliReference, commandLines, examplesOf, helpAfter } from './cli-reference.fixture.js';
import { complaintAbout } from './parse-only.fixture.js';

const program = buildProgram();

test('docs/cli.md says what --help says (vitest -u writes it)', async () => {
  const page = cliReference(program);
  expect(page.split('\n## ').length).toBeGreaterThan(20);
  expect(page).not.toContain('[object');
  await expect(page).toMatchFileSnapshot(resolve(import.meta.dirname, '../docs/cli.md'));
});

test.each(commandLines(program).map(({ path, command }) => [path, command] as const))(
  'nearmiss %s has a description and examples in its help',
  async (path, command) => {
    expect(command.description()).toMatch(/^[A-Z].*\.$/s);
    expect(helpAfter(command)).toContain(`nearmiss ${path}`);
    for (const example of examplesOf(command)) expect(await complaintAbout(example)).toBeUndefined();
  },
);
