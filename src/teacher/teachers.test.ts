import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openDataset } from '../data/open.js';
import { loadModules } from '../recipe/modules.js';
import { writeSynonyms } from '../train/synonyms.fixture.js';
import { writeCrossEncoder } from './cross-encoder.fixture.js';
import { teachers } from './kinds.js';
import { teacherConformance } from './teacher.conformance.js';
import type { Teacher, TeacherContext } from './teacher.js';

await loadModules([resolve(import.meta.dirname, '../../examples/axes/teacher.js')]);

let folder: string;
let context: TeacherContext;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-teachers-'));
  const data = join(folder, 'data');
  await writeSynonyms(data, { words: 4, seed: 2 });
  const dataset = await openDataset(data);
  const qrels = [...(await dataset.qrels('train'))];
  const documents: string[] = [];
  for await (const { id } of dataset.documents()) documents.push(id);
  context = {
    dataset,
    data,
    split: 'train',
    memberOf: (id) => qrels.findIndex(([query]) => query === id),
    documentOf: (id) => documents.indexOf(id),
    positives: (member) => Int32Array.from(qrels[member][1].keys(), (id) => documents.indexOf(id)),
    memberCount: qrels.length,
    locate: async (file) => file,
    queryOf: (member) => member,
    texts: async () => ({
      query: (number) => `near ${'a miss '.repeat(number)}`,
      document: (number) => `b ${'near a '.repeat(number)}`,
      close: async () => {},
    }),
    modelFolder: async (path) => path,
    session: { threads: 1 },
  };
  const pairs = qrels.flatMap(([query, grades], member) =>
    [...grades.keys(), ...documents.filter((id) => !grades.has(id)).slice(0, 6)].map(
      (id, i) => `${query} Q0 ${id} ${i + 1} ${(20 - i) / (1 + (member % 3))} t`,
    ),
  );
  vi.stubEnv('NEARMISS_CACHE', join(folder, 'cache'));
  await writeCrossEncoder(join(folder, 'cross-encoder'));
  await writeFile(join(folder, 'scores.trec'), `${pairs.join('\n')}\n`);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

const members = [0, 3, 5];
const documents = [0, 1, 2, 3, 7, 12];
const OPEN: Record<string, () => Promise<Teacher | undefined>> = {
  stored: () => teachers.get('stored').open({ file: join(folder, 'scores.trec') }, context),
  'cross-encoder': () =>
    teachers
      .get('cross-encoder')
      .open({ models: [join(folder, 'cross-encoder')], normalize: 'none' }, context),
  'shared-letters': () => teachers.get('shared-letters').open({ length: 3, most: 2 }, context),
};

for (const [name, open] of Object.entries(OPEN)) {
  teacherConformance({ name, open: async () => (await open())!, members, documents });
}

test('every teacher is held to the suite, and nobody is no teacher', async () => {
  expect(teachers.names).toEqual(['none', ...Object.keys(OPEN)]);
  expect(await teachers.get('none').open({}, context)).toBeUndefined();
});
