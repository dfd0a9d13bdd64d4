import { expect, test } from 'vitest';
import type { AdaptOutcome, Judged, Prepared } from '../../../adapt/index.js';
import { outcomeText, planText, tooLittleText } from './adapt-text.js';

const JUDGED: Judged = {
  verdict: 'level',
  measure: 'RR@10',
  split: 'made',
  adapted: false,
  natural: true,
  unread: false,
  kinds: [{ kind: 'title', queries: 300, start: 0.81, adapted: 0.82, p: 0.2 }],
};
const row = (system: 'start' | 'bm25' | 'hybrid' | 'trained', value: number) => ({
  system,
  measures: { 'RR@10': value },
});
const OUTCOME: AdaptOutcome = {
  run: 'runs/a',
  finished: true,
  split: 'made',
  queries: 300,
  measure: 'RR@10',
  rows: [row('start', 0.81), row('trained', 0.82)],
  best: 'hybrid',
  serves: 'start',
  verdict: 'level',
  labels: 1440,
  adaptation: { verdict: 'level', judged: JUDGED },
};

/** What is told where some of it is otherwise. */
const told = (judged: Partial<Judged>, outcome: Partial<AdaptOutcome> = {}): Promise<string> => {
  const all = { ...JUDGED, ...judged };
  return outcomeText({ ...OUTCOME, ...outcome, adaptation: { verdict: all.verdict, judged: all } });
};

test('the verdict is told to be about vectors alone, and how a search uses the model beside it', async () => {
  const better = await told({ verdict: 'better', adapted: true }, { serves: 'trained' });
  expect(better).toContain('held-out queries, by vectors alone');
  expect(better).toMatch(/Better: its vectors answer them better than those of the model as published/);
  expect(better).toContain('ask BM25 and the trained model together by default; --mode dense');
  expect(better).toMatch(/\n {2}nearmiss serve runs\/a\n$/);
  for (const verdict of ['level', 'not better'] as const) {
    const text = await told({ verdict });
    expect(text).toMatch(/vectors/);
    expect(text).toContain('runs/a/best is the model as published.');
    expect(text).toContain('ask BM25 and the model as published together by default');
  }
  expect(await told({ kinds: [{ ...JUDGED.kinds[0], start: 0.99 }] })).toContain(
    'finds nearly all of them already',
  );
});

test('how far queries can be trusted is told, and what to do where the start cannot read them', async () => {
  expect(await told({})).toContain('what people ask may differ');
  expect(await told({ natural: false })).toMatch(/parts of the documents.*poor judges/);
  expect(await told({})).not.toContain('--mode bm25');
  expect(await told({ unread: true })).toMatch(/minilm reads English: words alone \(--mode bm25\)/);
});

test('a part of a model is not called the model as published', async () => {
  const published = { model: 'minilm', data: 'docs' };
  const text = await told({}, { published });
  expect(text).toContain('runs/a/best is what the run began with.');
  expect(text).not.toContain('is the model as published');
  expect(await told({}, { published, best: 'start' })).toMatch(/nearmiss serve docs --model minilm\n$/);
});

test('questions of people decide on words, too, and the command at the end is what they chose', async () => {
  const asked = { split: 'questions', kinds: [{ ...JUDGED.kinds[0], kind: 'questions', queries: 60 }] };
  const found = {
    split: 'questions',
    rows: [row('start', 0.4), row('bm25', 0.7), row('hybrid', 0.6), row('trained', 0.41)],
    hybrid: { weights: [1, 1], recommended: false },
  };
  const words = await told(asked, { ...found, best: 'bm25' });
  expect(words).toMatch(/BM25 \(words\)\s+0\.7000.*use this/);
  expect(words).toContain('Use BM25: words alone find more');
  expect(words).not.toContain('made of the documents');
  expect(words).toMatch(/nearmiss serve runs\/a --mode bm25\n$/);
  expect(await told(asked, { ...found, best: 'start' })).toMatch(
    /Use the model as published: [\s\S]*nearmiss serve runs\/a\n$/,
  );
});

const PREPARED: Prepared = {
  name: 'docs',
  documents: 300,
  sources: 200,
  mix: { train: ['ict'], heldOut: ['title'], natural: true },
  made: { train: { ict: 300 }, heldOut: { title: 90 } },
  questions: 0,
  otherScripts: 0,
};

test('the plan tells what cannot be judged well before it takes the time', () => {
  const plan = (changes: Partial<Prepared>, model?: string) =>
    planText({ ...PREPARED, ...changes }, 100, 'runs/a', model);
  expect(plan({})).not.toMatch(/poor judges|reads English/);
  const mix = { ...PREPARED.mix, heldOut: ['crops'], natural: false };
  expect(plan({ mix })).toMatch(/parts of their texts measure, which are poor judges/);
  expect(plan({ mix, questions: 50 })).not.toMatch(/poor judges/);
  expect(plan({ otherScripts: 0.9 })).toContain('90 % of the documents are not in Latin letters');
  expect(plan({ otherScripts: 0.9 }, 'models/zh')).not.toContain('reads English');
});

test('too little is told with what to do', () => {
  const tooLittle = '3 pairs could be made to learn from';
  expect(tooLittleText('docs', { ...PREPARED, documents: 1, sources: 1, tooLittle })).toMatch(
    /^Not adapted: one document of one file or article is too little[\s\S]*nearmiss serve docs/,
  );
});
