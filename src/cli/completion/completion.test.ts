import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { buildProgram } from '../run.js';
import { candidatesFor } from './candidates.js';
import { COMPLETION_SCRIPTS } from './scripts.js';

const program = buildProgram();
const complete = (line: string): ReturnType<typeof candidatesFor> => {
  const words = line.split(' ');
  const known = { '--recipe': async () => ['ance-firstp', 'dpr'] };
  return candidatesFor(program, words.slice(0, -1), words.at(-1)!, { known });
};

test.each([
  ['tr', ['train', 'trainer'], false],
  ['train --tr', ['--trainer-threads'], false],
  ['train --recipe ', ['ance-firstp', 'dpr'], true],
  ['train --recipe dpr --pri', ['--print-config'], false],
  [
    'repro ',
    ['asynchrony', 'chinese', 'efficiency', 'labels', 'late', 'production', 'table1', 'tricks'],
    false,
  ],
  ['repro table1 --size ', ['full', 'quick', 'small'], false],
  ['eval ', [], true],
  ['nonsense --de', ['--debug'], false],
])('nearmiss %s', async (line, values, files) => {
  expect(await complete(line)).toEqual({ values, files });
});

test('bash completes through the script', () => {
  const folder = mkdtempSync(join(tmpdir(), 'nearmiss-completion-'));
  const main = resolve(import.meta.dirname, '../../../dist/cli/main.js');
  const shim = `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`;
  writeFileSync(join(folder, 'nearmiss'), shim, { mode: 0o755 });
  const asked = `${COMPLETION_SCRIPTS.bash}
    COMP_WORDS=(nearmiss repro table1 --size ''); COMP_CWORD=4; _nearmiss; echo "\${COMPREPLY[*]}"`;
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
  const answer = execFileSync('bash', ['-c', asked], { env, encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  expect(answer.trim().split(/\s+/)).toEqual(['full', 'quick', 'small']);
});
