import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeRun, type Run } from '../../src/evaluate/index.js';

const CONDITIONS = ['anemia', 'asthma', 'gout', 'scurvy', 'measles', 'rickets', 'migraine', 'malaria'];
const ASPECTS = ['causes', 'symptoms', 'treatment', 'prevention', 'diagnosis', 'history', 'risks'];

/** Document i answers query i: `d17` is what `q17` asks for. */
const PASSAGES = CONDITIONS.flatMap((condition) =>
  ASPECTS.map((aspect, i) => ({
    title: `The ${aspect} of ${condition}`,
    text: `What is known of ${condition} and its ${aspect}; vitamin D and bone density have nothing to do with it.`,
    query: `what is the ${aspect} of ${condition}`,
    answers: [condition],
    year: 1996 + i,
  })),
);

const SPLITS = ['test', 'dev', 'train', 'train'];

/** Writes 56 passages about illnesses with a question each, as a BEIR folder. */
export async function writeCollection(folder: string): Promise<void> {
  await mkdir(join(folder, 'qrels'), { recursive: true });
  const file = (name: string, lines: string[]): Promise<void> =>
    writeFile(join(folder, name), `${lines.join('\n')}\n`);
  await file(
    'corpus.jsonl',
    PASSAGES.map(({ title, text, year }, i) =>
      JSON.stringify({ _id: `d${i}`, title, text, metadata: { year, language: 'en' } }),
    ),
  );
  await file(
    'queries.jsonl',
    PASSAGES.map(({ query, answers }, i) =>
      JSON.stringify({ _id: `q${i}`, text: query, metadata: { answers } }),
    ),
  );
  for (const split of new Set(SPLITS)) {
    const judged = PASSAGES.flatMap((_, i) =>
      SPLITS[i % SPLITS.length] === split ? [`q${i}\td${i}\t1`] : [],
    );
    await file(join('qrels', `${split}.tsv`), ['query-id\tcorpus-id\tscore', ...judged]);
  }
}

/** Writes the same in the forms of MS MARCO, TREC and DPR. */
export async function writeOtherForms(folder: string): Promise<void> {
  const file = (name: string, lines: string[]): Promise<void> =>
    writeFile(join(folder, name), `${lines.join('\n')}\n`);
  await file(
    'collection.tsv',
    PASSAGES.map(({ text }, i) => `d${i}\t${text}`),
  );
  await file(
    'topics.txt',
    PASSAGES.map(({ query }, i) => `q${i}\t${query}`),
  );
  await file(
    'qrels.txt',
    PASSAGES.map((_, i) => `q${i} 0 d${i} 1`),
  );
  const context = (i: number) => ({ title: PASSAGES[i].title, text: PASSAGES[i].text, passage_id: `d${i}` });
  const examples = PASSAGES.slice(1).map(({ query, answers }, i) => ({
    question: query,
    answers,
    positive_ctxs: [context(i + 1)],
    negative_ctxs: [],
    hard_negative_ctxs: [context(i)],
  }));
  await file('nq-train.json', [JSON.stringify(examples)]);
}

/** What a system found: each query's own document at one of the first three ranks, among its neighbours. */
export function runOf(tag: string, luck: number): Run {
  const hitsOf = (query: number): [string, number][] =>
    Array.from({ length: 10 }, (_, rank) => {
      const document = query + rank - ((query * luck) % 3);
      return [`d${(document + PASSAGES.length) % PASSAGES.length}`, 10 - rank];
    });
  return makeRun(tag, Object.fromEntries(PASSAGES.map((_, query) => [`q${query}`, hitsOf(query)])));
}
