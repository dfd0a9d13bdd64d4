import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { text, whole } from '../base/settings.js';
import { negativesKind, negatives as sources } from '../negatives/index.js';
import { fixedTableName, fixedTableNames } from './fixed-tables.js';
import { RunDirectory } from './run-directory.js';

const ranked = { count: 1, sampling: 'uniform', skipRanks: 0, dropAnswers: false, keepDuplicates: false };

test.each([
  [{ source: 'bm25', ...ranked, depth: 20 }, 'bm25-e57f0d0f'],
  [{ source: 'bm25', ...ranked, depth: 200 }, 'bm25-e7b6c296'],
  [
    {
      ...{ source: 'bm25', count: 3, depth: 100, sampling: 'weighted', skipRanks: 5, margin: 0.5 },
      ...{ relativeMargin: 0.95, dropAnswers: true, keepDuplicates: true },
    },
    'bm25-01507cfc',
  ],
  [{ source: 'static', ...ranked, depth: 200, file: '/data/bm25.run' }, 'static-7e5f69dd'],
])('runs of version 0.1 find their tables: %#', (recipe, name) => {
  expect(fixedTableName(recipe)).toBe(name);
});

test('an option that came later counts where it is not the default', () => {
  const options = {
    depth: whole(1).default(9),
    words: whole(1).default(3).describe('words'),
    language: text().optional().describe('language'),
  };
  sources.register(negativesKind({ name: 'later', description: 'for this test', options }));
  const name = (more: object): string => fixedTableName({ source: 'later', depth: 9, ...more });
  expect(name({ words: 3, language: undefined })).toBe(name({}));
  expect(new Set([name({}), name({ words: 4 }), name({ language: 'de' }), name({ depth: 8 })]).size).toBe(4);
});

test('tables of any source are told from the folders of checkpoints', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-tables-'));
  try {
    const tables = ['bm25', 'bm25-e57f0d0f', 'mine-0123abcd', 'static'];
    for (const name of [...tables, 'step-000300', 'step-12345678', '.partial-x']) {
      await mkdir(join(folder, 'negatives', name), { recursive: true });
    }
    expect(await fixedTableNames(new RunDirectory(folder))).toEqual(tables);
  } finally {
    await rm(folder, { recursive: true });
  }
});
