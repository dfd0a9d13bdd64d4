import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openDataset } from '../data/open.js';
import { smallEncoder } from '../model/encoder/small-encoder.fixture.js';
import { saveEncoderModel } from '../model/index.js';
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
    documentCount: documents.length,
    seed: 1,
    size: 384,
    warn: async () => {},
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
  await saveEncoderModel(join(folder, 'encoder'), (await smallEncoder()).model, { onnx: false });
  await writeFile(join(folder, 'scores.trec'), `${pairs.join('\n')}\n`);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

const members = [0, 3, 5];
const documents = [0, 1, 2, 3, 7, 12];
const OPEN: Record<string, () => Promise<Teacher | undefined>> = {
  stored: () => teachers.get('stored').open!({ file: join(folder, 'scores.trec') }, context),
  'cross-encoder': () =>
    teachers.get('cross-encoder').open!(
      { models: [join(folder, 'cross-encoder')], normalize: 'none' },
      context,
    ),
  encoder: () =>
    teachers.get('encoder').open!({ model: join(folder, 'encoder'), temperature: 0.05 }, context),
  'shared-letters': () => teachers.get('shared-letters').open!({ length: 3, most: 2 }, context),
};

for (const [name, open] of Object.entries(OPEN)) {
  teacherConformance({ name, open: async () => (await open())!, members, documents });
}

test('every teacher is held to the suite, and nobody is no teacher', async () => {
  // One that learns with the student is held to the suite of tasks.
  expect(teachers.names.filter((name) => name !== 'joint').sort()).toEqual(
    ['none', ...Object.keys(OPEN)].sort(),
  );
  expect(await teachers.get('none').open!({}, context)).toBeUndefined();
});

test.each([
  ['its own size', undefined],
  ['fewer numbers', 5],
  ['more numbers', 40],
])('the vectors of an encoder have the size of the student: %s', async (_, size) => {
  const encoder = await smallEncoder();
  const teacher = (await teachers.get('encoder').open!(
    { model: join(folder, 'encoder'), temperature: 0.05 },
    { ...context, size: size ?? encoder.dimension },
  ))!;
  const { vectors } = await encoder.encode(
    documents.map((number) => `b ${'near a '.repeat(number)}`),
    {
      use: 'document',
    },
  );
  const wide = size ?? encoder.dimension;
  const taught = await teacher.vectors!({ members, documents: [...documents, -1] });
  expect(taught.queries).toHaveLength(members.length * wide);
  expect(taught.documents).toHaveLength((documents.length + 1) * wide);
  expect([...taught.known]).toEqual([...documents.map(() => 1), 0]);
  expect(taught.documents.slice(-wide).every((x) => x === 0)).toBe(true);
  const product = (rows: Float32Array, width: number, a: number, b: number): number => {
    let sum = 0;
    for (let i = 0; i < width; i++) sum += rows[a * width + i] * rows[b * width + i];
    return sum;
  };
  for (const [a, b] of [
    [0, 1],
    [2, 5],
    [3, 3],
  ]) {
    const expected = product(vectors, encoder.dimension, a, b);
    // Along fewer directions something is lost.
    expect(Math.abs(product(taught.documents, wide, a, b) - expected)).toBeLessThan(
      wide < encoder.dimension ? 0.3 : 1e-4,
    );
  }
  await teacher.close();
  await encoder.release();
});

test('queries that a file of scores lacks are counted in a warning; what is wrong in it is an error', async () => {
  const lines = (await readFile(join(folder, 'scores.trec'), 'utf8')).trimEnd().split('\n');
  const [first] = lines[0].split(' ');
  const open = async (content: readonly string[]): Promise<string[]> => {
    const file = join(folder, 'some.trec');
    await writeFile(file, `${content.join('\n')}\n`);
    const warnings: string[] = [];
    const warn = async (message: string): Promise<void> => void warnings.push(message);
    await (await teachers.get('stored').open!({ file }, { ...context, warn }))!.close();
    return warnings;
  };
  expect(await open(lines)).toEqual([]);
  const [warning] = await open(lines.filter((line) => !line.startsWith(`${first} `)));
  expect(warning).toMatch(
    new RegExp(`some.trec: 1 of ${context.memberCount} training queries have no score of a positive`),
  );
  await expect(open([...lines, `${first} Q0 nowhere 99 1 t`])).rejects.toThrow(
    'document "nowhere": the collection has no such document',
  );
  await expect(open([...lines.slice(1), lines[0].replace(/ \S+ t$/, ' NaN t')])).rejects.toThrow(/NaN/);
  await expect(open(['other Q0 d0-0 1 1 t'])).rejects.toThrow(
    'no training query has scores of its documents here',
  );
});
