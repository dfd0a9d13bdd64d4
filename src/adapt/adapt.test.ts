import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDataset } from '../data/index.js';
import { evaluate } from '../evaluate/index.js';
import type { PairSurvey } from '../examples/index.js';
import { sourceKey } from '../examples/index.js';
import { CandidateTable } from '../negatives/index.js';
import { openRun } from '../run/open-run.js';
import { RunDirectory } from '../run/run-directory.js';
import { openSearcher } from '../search/index.js';
import { searchQueries } from '../search/search-queries.js';
import { type DevOutcome, measureOnSplit } from '../systems/index.js';
import { splitQueries } from '../systems/split-queries.js';
import { train } from '../train/train.js';
import { TINY, writeGuides, writeLongGuide } from './adapt.fixture.js';
import { type AdaptOutcome, adapt, beginAdaptation } from './adapt.js';
import { chooseMix } from './choose-mix.js';
import { prepareAdaptation } from './prepare.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-adapt-'));
  await writeGuides(join(folder, 'guides'), 90);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const surveyOf = (counts: Record<string, number>, natural: string[]): PairSurvey[] =>
  Object.entries(counts).map(([maker, pairs]) => ({
    maker,
    pairs,
    natural: natural.includes(maker),
    description: '',
    origin: '',
    documents: pairs,
    samples: [],
  }));
const NATURAL = ['faq', 'links', 'heading', 'title'];

describe('the mix', () => {
  test.each([
    [{ heading: 300, title: 90, ict: 400, spider: 50, crops: 400 }, ['title', 'ict', 'spider'], ['heading']],
    [{ title: 900, ict: 900, crops: 900, 'same-text': 900 }, ['ict'], ['title']],
    [{ ict: 900, crops: 900, 'same-text': 900 }, ['ict'], ['crops']],
    [{ ict: 900, faq: 20, crops: 900 }, ['faq', 'ict'], ['crops']],
    [{ heading: 300, links: 80, ict: 400, spider: 70 }, ['links', 'ict', 'spider'], ['heading']],
    // Who would measure is needed to teach.
    [{ title: 54, spider: 340, crops: 176 }, ['title', 'spider'], ['crops']],
    [{ heading: 300, ict: 20, crops: 200 }, ['heading', 'ict'], ['crops']],
    [{ title: 400, 'same-text': 400 }, [], ['title']],
    [{ crops: 30 }, [], ['crops']],
    [{}, [], []],
  ])('%j', (counts, train, heldOut) => {
    expect(chooseMix(surveyOf(counts as Record<string, number>, NATURAL))).toEqual({
      train,
      heldOut,
      natural: heldOut.length > 0 && NATURAL.includes(heldOut[0]),
    });
  });
});

describe('a folder of guides', () => {
  let outcome: AdaptOutcome;
  const out = (): string => join(folder, 'run');
  beforeAll(async () => {
    outcome = await adapt({ data: join(folder, 'guides'), out: out(), set: TINY, inProcess: true });
  });

  test('learns from some kinds and measures on another, of other files', async () => {
    const dataset = await openDataset(join(folder, 'run-data'));
    expect(await dataset.splits()).toEqual(expect.arrayContaining(['train', 'made']));
    const keys = new Map<string, string>();
    for await (const document of dataset.documents()) keys.set(document.id, sourceKey(document)!);
    const makers = new Map<string, string>();
    for await (const { id, metadata } of dataset.queries()) makers.set(id, metadata!.maker as string);
    const of = async (split: string) => {
      const qrels = await dataset.qrels(split);
      return {
        makers: new Set([...qrels.keys()].map((id) => makers.get(id)!)),
        files: new Set(
          [...qrels.values()].flatMap((judged) => [...judged.keys()].map((id) => keys.get(id)!)),
        ),
      };
    };
    const [train, made] = [await of('train'), await of('made')];
    expect([...made.makers]).toEqual(['heading']);
    expect(train.makers).toContain('ict');
    expect(train.makers).not.toContain('heading');
    expect([...made.files].filter((file) => train.files.has(file))).toEqual([]);
  });

  test('says what came of it, and keeps the start unless it is better', () => {
    const { adaptation, finished, rows, checkpoint } = outcome;
    expect(finished).toBe(true);
    // Made queries have the words of their documents: nothing is said of a search by words.
    expect(rows!.map(({ system }) => system)).toEqual(['start', 'trained']);
    expect(outcome.hybrid).toBeUndefined();
    const { judged, verdict } = adaptation;
    expect(verdict === 'better').toBe(checkpoint!.step > 0);
    expect(judged!.kinds.map(({ kind }) => kind)).toEqual(['heading']);
    // From random weights there is something to learn.
    expect(judged!.kinds.every(({ start, adapted }) => adapted > start)).toBe(true);
    expect(outcome.serves).toBe(verdict === 'better' ? 'trained' : 'start');
  });

  test('is searched by words and vectors, as its documents were before, and says so', async () => {
    expect(outcome.best).toBe('hybrid');
    expect(outcome.advice).toMatch(/^Use the hybrid: .*--mode dense takes the model alone/);
    const modeOf = async (path: string, model?: string): Promise<string> => {
      const searcher = await openSearcher(path, { threads: 1, ...(model !== undefined && { model }) });
      await searcher.close();
      return searcher.defaultMode;
    };
    expect(await modeOf(out())).toBe('hybrid');
    expect(await modeOf(join(folder, 'guides'), join(out(), 'best'))).toBe('hybrid');
  });

  test('on queries of another kind its hybrid is measured as a search finds', async () => {
    const { rows, best } = await measureOnSplit(out(), 'train', outcome as DevOutcome, { threads: 1 });
    expect(best).toBe('hybrid');
    expect(rows.map(({ system }) => system)).toEqual(['start', 'bm25', 'hybrid', 'trained']);
    const asked = await splitQueries(await openDataset(join(folder, 'run-data')), { split: 'train' });
    const searcher = await openSearcher(out(), { threads: 1 });
    const { queries, qrels } = asked;
    const found = await searchQueries(searcher, searcher.defaultMode, { queries, depth: 200 });
    await searcher.close();
    const { mean } = evaluate(found, qrels, ['RR@10'], { complete: true });
    expect(rows[2].measures['RR@10']).toBe(mean['RR@10']);
    const onMade = await measureOnSplit(out(), 'made', outcome as DevOutcome, { threads: 1 });
    expect(onMade.rows).toEqual(outcome.rows);
  });

  test('no passage of the same file is a negative', async () => {
    const { data } = await openRun(out(), { quiet: true });
    const sourceOf = await data.sourceNumbers();
    const run = new RunDirectory(out());
    const [made] = (await readdir(run.file('made'))).filter((name) => name.startsWith('mine'));
    const table = await CandidateTable.load(run.file('made', made), data.tables);
    let checked = 0;
    data.training.forEach(({ positives }, query) => {
      for (const id of table.ids.subarray(query * table.depth, (query + 1) * table.depth)) {
        if (id < 0) continue;
        checked++;
        expect(sourceOf(id)).not.toBe(sourceOf(positives[0]));
      }
    });
    expect(checked).toBeGreaterThan(100);
    await data.close();
  });

  test('a recipe can name a maker as its examples', async () => {
    const { finished, checkpoint } = await train({
      data: join(folder, 'run-data'),
      recipe: {
        extends: 'tiny',
        examples: 'spider',
        evaluation: { split: 'made', queries: 20 },
        stages: [{ name: 'pairs', steps: 3, negatives: ['in-batch'] }],
      },
      out: join(folder, 'run-spider'),
      inProcess: true,
    });
    expect(finished).toBe(true);
    expect(checkpoint!.queries).toBe(20);
  });

  test('stopped on the way it goes on, and comes out the same', async () => {
    const stop = new AbortController();
    const options = {
      data: join(folder, 'guides'),
      out: join(folder, 'run-stopped'),
      set: TINY,
      inProcess: true,
    };
    const stopped = await adapt({
      ...options,
      signal: stop.signal,
      onEvent: (_, event) => {
        if (event.type === 'step' && event.step >= 5) stop.abort();
      },
    });
    expect(stopped.finished).toBe(false);
    expect((await adapt(options)).adaptation.judged).toEqual(outcome.adaptation.judged);
  });

  test('the same command again finds it done', async () => {
    const again = await adapt({ data: join(folder, 'guides'), out: out(), inProcess: true });
    expect(again.adaptation.judged).toEqual(outcome.adaptation.judged);
  });

  test('what is asked of other documents, or with questions, is not answered by what was done before', async () => {
    const other = join(folder, 'other-guides');
    await writeGuides(other, 30);
    await expect(adapt({ data: other, out: out(), inProcess: true })).rejects.toThrow(
      /was begun on .*guides, not on .*other-guides/,
    );
    const asked = adapt({ data: join(folder, 'guides'), out: out(), questions: 'q.jsonl', inProcess: true });
    await expect(asked).rejects.toThrow('was begun without questions');
    const { hasEnded } = await beginAdaptation({ data: `${join(folder, 'guides')}/`, out: out() });
    expect(hasEnded).toBe(true);
  });
});

describe('small and odd folders get a useful answer', () => {
  const write = async (name: string, files: Record<string, string>): Promise<string> => {
    const path = join(folder, name);
    await mkdir(path);
    for (const [file, text] of Object.entries(files)) await writeFile(join(path, file), text);
    return path;
  };
  const LONG = Array.from({ length: 40 }, (_, i) => `Sentence number ${i} is about the thing ${i * 7}.`).join(
    ' ',
  );
  test.each<[string, Record<string, string>]>([
    ['three', { 'a.md': LONG, 'b.md': LONG, 'c.md': '# Title\n\nA little.' }],
    ['one', { 'a.txt': LONG }],
    ['tiny', Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`${i}.md`, `note ${i}`]))],
    ['code', { 'a.md': '```js\nconst a = b ? c : d;\n```', 'b.md': '```sh\nls -l\n```' }],
    ['programs', { 'a.js': 'let a = 1;\n'.repeat(20), 'b.py': 'b = 1\n'.repeat(20) }],
    [
      'mixed',
      {
        'a.md': '# 河流\n\n长江是中国最长的河流。它很长。',
        'b.md': '# Rivers\n\nThe Loire is long. It runs.',
      },
    ],
  ])('%s', async (name, files) => {
    const data = await write(name, files);
    const { adaptation, finished, run } = await adapt({
      data,
      out: join(folder, `run-${name}`),
      inProcess: true,
    });
    expect(finished).toBe(false);
    expect(adaptation.verdict).toBe('too little');
    expect(adaptation.prepared!.tooLittle).toMatch(/\d+ (pairs|queries) could be/);
    expect(adaptation.prepared!.documents).toBeGreaterThan(0);
    await expect(openDataset(`${run}-data`)).rejects.toThrow('no such file or folder');
  });
});

test('many files that are nearly the same: says why they teach nothing', async () => {
  const path = join(folder, 'alike');
  await mkdir(path);
  for (let i = 0; i < 150; i++) {
    const text =
      '# The pump\n\nThe pump is in the cellar. It needs oil twice a year. Nobody may open it alone.';
    await writeFile(join(path, `${i}.md`), `${text}\n\nRevision ${i}.\n`);
  }
  const { tooLittle } = await prepareAdaptation(path, {
    folder: join(folder, 'of-alike'),
    seed: 1,
    train: 1440,
  });
  expect(tooLittle).toMatch(/; \d+ more were left out, because several documents answer them alike$/);
});

test('files that cannot be read are left out and told of, as a search of the folder does', async () => {
  const path = join(folder, 'with-junk');
  await writeGuides(path, 90);
  await writeFile(join(path, 'junk.md'), Buffer.from([0x23, 0x20, 0xff, 0xfe, 0x41, 0x0a]));
  await writeFile(join(path, 'letter.docx'), 'PK');
  const notes: string[] = [];
  const options = { seed: 1, train: 1440, onNote: (note: string) => notes.push(note) };
  const prepared = await prepareAdaptation(path, { folder: join(folder, 'of-junk'), ...options });
  expect(prepared).toMatchObject({ sources: 90 });
  expect(prepared.tooLittle).toBeUndefined();
  expect(notes).toEqual([
    expect.stringContaining('docx'),
    expect.stringMatching(/junk\.md is left out: line 1: not valid UTF-8/),
  ]);
  await expect(
    prepareAdaptation(join(folder, 'nowhere'), { folder: join(folder, 'of-nowhere'), ...options }),
  ).rejects.toThrow('no such file or folder');
});

test('few steps do not make documents few', async () => {
  const prepared = await prepareAdaptation(join(folder, 'guides'), {
    folder: join(folder, 'few-steps'),
    seed: 1,
    train: 24,
  });
  expect(prepared.tooLittle).toBeUndefined();
});

test('one long file: its passages are told from each other, those around the answer left out', async () => {
  const path = join(folder, 'long');
  await writeLongGuide(path, 90);
  const out = join(folder, 'run-long');
  const { adaptation, finished } = await adapt({ data: path, out, set: TINY, inProcess: true });
  expect(finished).toBe(true);
  expect(adaptation.prepared).toMatchObject({ sources: 1 });
  const { data } = await openRun(out, { quiet: true });
  const sourceOf = await data.sourceNumbers();
  const run = new RunDirectory(out);
  const [made] = (await readdir(run.file('made'))).filter((name) => name.startsWith('mine'));
  const table = await CandidateTable.load(run.file('made', made), data.tables);
  const near = data.training.map(({ positives }, query) => {
    const ids = table.ids.subarray(query * table.depth, (query + 1) * table.depth).filter((id) => id >= 0);
    return { found: ids.length, around: ids.filter((id) => sourceOf(id) === sourceOf(positives[0])).length };
  });
  expect(near.every(({ around }) => around === 0)).toBe(true);
  expect(near.some(({ found }) => found > 0)).toBe(true);
  await data.close();
});

describe('questions of people', () => {
  const prepare = (questions: string, name: string) =>
    prepareAdaptation(join(folder, 'guides'), {
      folder: join(folder, name),
      seed: 1,
      questions,
      train: 200,
    });

  test('by path, by id, as JSON and with tabs', async () => {
    const file = join(folder, 'questions.txt');
    await writeFile(file, '{"question": "who cleans the pump", "document": "0.md"}\nhow to paint\t1.md#2\n');
    const { questions } = await prepare(file, 'asked');
    expect(questions).toBe(2);
    const dataset = await openDataset(join(folder, 'asked'));
    const judged = await dataset.qrels('questions');
    expect([...judged.get('question-1')!.keys()].every((id) => id.startsWith('0.md#'))).toBe(true);
    expect([...judged.get('question-2')!.keys()]).toEqual(['1.md#2']);
  });

  test.each([
    ['{"question": 7}', ':1: field "question": expected a text'],
    ['how?', ':1: expected a question, a tab and a document'],
    ['how\tnone.md', 'has no document "none.md"'],
    ['{', 'expected JSON'],
  ])('%s is refused', async (line, message) => {
    const file = join(folder, 'wrong.txt');
    await writeFile(file, line);
    await expect(prepare(file, 'wrong')).rejects.toThrow(message);
  });
});
