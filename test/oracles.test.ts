import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { ORACLES, oracleFile, oracleFolder, readOracle } from './oracles.fixture.js';

const OWN = resolve(import.meta.dirname, 'oracles');

afterEach(() => {
  vi.unstubAllEnvs();
});

/** A folder as `NEARMISS_ORACLES` may name it. */
async function otherOracles(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-oracles-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

test('every oracle comes with the project', () => {
  vi.stubEnv('NEARMISS_ORACLES', undefined);
  expect(ORACLES.map(oracleFolder)).toEqual(ORACLES.map((name) => join(OWN, name)));
  const folders = readdirSync(OWN, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).sort()).toEqual([...ORACLES]);
  expect(existsSync(oracleFile('dl19', 'run.bm25-default.txt'))).toBe(true);
});

test('NEARMISS_ORACLES puts others in their place, and leaves those that it lacks', async () => {
  const folder = await otherOracles({
    'minilm/expected.json': '[{ "text": "other" }]',
    'dl19/qrels.txt.gz': '',
  });
  vi.stubEnv('NEARMISS_ORACLES', folder);
  expect(readOracle('minilm', 'expected.json')).toEqual([{ text: 'other' }]);
  expect(oracleFile('dl19', 'qrels.txt')).toBe(join(folder, 'dl19', 'qrels.txt.gz'));
  expect(oracleFolder('bert-step')).toBe(join(OWN, 'bert-step'));
  // An oracle is one thing: its files never come from two places.
  expect(() => readOracle('minilm', 'absent.json')).toThrow(join(folder, 'minilm', 'absent.json'));
});

test.each([
  ['a folder without oracles', { 'README.md': 'nothing here' }],
  ['a folder that is not there', undefined],
])('%s is refused', async (_, files) => {
  const folder = files ? await otherOracles(files) : join(tmpdir(), 'nearmiss-no-such-oracles');
  vi.stubEnv('NEARMISS_ORACLES', folder);
  expect(() => oracleFolder('bert-step')).toThrow(`got ${folder}`);
});
