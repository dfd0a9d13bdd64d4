import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openDataset } from '../data/open.js';
import { smallEncoder } from '../model/encoder/small-encoder.fixture.js';
import { loadSide } from '../model/folder/tower-folders.js';
import { createEncoderModel, Encoder, type EncoderModel, saveEncoderModel } from '../model/index.js';
import { loadModules } from '../recipe/modules.js';
import { writeSynonyms } from '../train/synonyms.fixture.js';
import { writeCrossEncoder } from './cross-encoder.fixture.js';
import { teachers } from './kinds.js';
import { PairScorer } from './pair-scorer.js';
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
  const { model } = await smallEncoder();
  await saveEncoderModel(join(folder, 'encoder'), model, { onnx: false });
  await saveEncoderModel(join(folder, 'late'), lateInteraction(model), { onnx: false });
  await writeFile(join(folder, 'scores.trec'), `${pairs.join('\n')}\n`);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

/** As ColBERT: a row for each token, which find their best in the other text. */
function lateInteraction({ tokenizer }: EncoderModel): EncoderModel {
  const head = { pooling: 'tokens', queryMarker: false, documentMarker: false, fillQueries: 6 };
  return createEncoderModel({ tokenizer, hiddenSize: 8, layers: 1, heads: 2, maxLength: 16, head });
}

const members = [0, 3, 5];
const documents = [0, 1, 2, 3, 7, 12];
const OPEN: Record<string, () => Promise<Teacher | undefined>> = {
  stored: () => teachers.get('stored').open!({ file: join(folder, 'scores.trec') }, context),
  'cross-encoder': () =>
    teachers.get('cross-encoder').open!(
      { models: [join(folder, 'cross-encoder')], normalize: 'none' },
      context,
    ),
  encoder: () => teachers.get('encoder').open!({ model: join(folder, 'encoder') }, context),
  'shared-letters': () => teachers.get('shared-letters').open!({ length: 3, most: 2 }, context),
};

const openLate = (options = {}): Promise<Teacher | undefined> =>
  teachers.get('encoder').open!({ model: join(folder, 'late'), ...options }, context);
teacherConformance({
  name: 'encoder with late interaction',
  open: async () => (await openLate())!,
  members,
  documents,
});

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

test('a retriever with late interaction teaches its own scores, alone and in pairs', async () => {
  const path = join(folder, 'late');
  const [queries, others] = await Promise.all([
    Encoder.create(await loadSide(path, 'queries'), { session: { threads: 1 } }),
    Encoder.create(await loadSide(path, 'documents'), { session: { threads: 1 } }),
  ]);
  const texts = await context.texts();
  const [query, document] = [texts.query(3), texts.document(7)];
  const rows = async (encoder: Encoder, text: string, use: string): Promise<number[][]> => {
    const { vectors } = await encoder.encode([text], { use });
    return Array.from({ length: vectors.length / 8 }, (_, i) => [...vectors.slice(8 * i, 8 * i + 8)]);
  };
  const product = (a: number[], b: number[]): number => a.reduce((sum, x, i) => sum + x * b[i], 0);
  const ofDocument = await rows(others, document, 'document');
  const found = (await rows(queries, query, 'query')).map((row) =>
    Math.max(...ofDocument.map((other) => product(row, other))),
  );
  expect(found).toHaveLength(6);
  const expected = found.reduce((sum, best) => sum + best, 0);
  const teacher = (await openLate())!;
  const { scores } = await teacher.scores({ members: [3], documents: [7], wanted: () => true });
  expect(scores[0]).toBeCloseTo(expected, 4);
  expect((await teacher.pairs!([[query, document]]))[0]).toBeCloseTo(expected, 4);
  // MaxSim adds up and is taken as it is; one vector's cosines lie closer together.
  const cooler = (await openLate({ temperature: 2 }))!;
  const half = await cooler.scores({ members: [3], documents: [7], wanted: () => true });
  expect(half.scores[0]).toBeCloseTo(expected / 2, 4);
  await expect(teacher.vectors!({ members: [3], documents: [7] })).rejects.toThrow(
    'the teacher makes several rows of a text, expected one vector of each',
  );
  const scorer = await PairScorer.open(path, { cache: join(folder, 'scores'), session: { threads: 1 } });
  expect(scorer.givesLogits).toBe(false);
  expect((await scorer.score([[query, document]]))[0]).toBeCloseTo(expected, 4);
  for (const open of [teacher, cooler, scorer]) await open.close();
  await queries.release();
  await others.release();
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
