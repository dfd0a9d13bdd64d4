import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Dataset, openDataset } from '../../data/index.js';
import { pairSources, sourceKey } from './sources.js';
import { surveyPairs } from './survey.js';

let folder: string;
let docs: Dataset;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-pairs-'));
  await mkdir(join(folder, 'guide'));
  await writeFile(
    join(folder, 'guide', 'start.md'),
    '# Start\n\nFirst read [how to install it](../install.md#on-windows) and [the whole guide](start.md), not [this](https://example.org).\n',
  );
  await writeFile(
    join(folder, 'install.md'),
    '# Install\n\nTake the newest version.\n\n## On Windows\n\nUse the installer. It asks for a folder.\n',
  );
  docs = await openDataset(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function gather<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

test('passages of a file come together, with headings and the links that stay in the folder', async () => {
  const [start, install] = await gather(pairSources(docs));
  expect(start).toMatchObject({ title: 'Start', passages: [{ number: 0, headings: [] }] });
  expect(start.passages[0].links).toEqual([
    { text: 'how to install it', target: 2, to: 'install.md#on-windows' },
    { text: 'the whole guide', target: 0, to: 'guide/start.md' },
  ]);
  expect(install.passages.map(({ headings }) => headings)).toEqual([[], ['On Windows']]);
});

test('a text without a title of its own is told from one that has one', async () => {
  const path = join(folder, 'named');
  await mkdir(path);
  await writeFile(join(path, 'old-boats.txt'), 'They lie in the harbour.\n');
  await writeFile(join(path, 'boats.md'), '# Old boats\n\nThey lie in the harbour.\n');
  await writeFile(join(path, 'boats.js.md'), '# boats.js\n\nIt is a program.\n');
  const sources = await gather(pairSources(await openDataset(path)));
  expect(sources.map(({ title, isFileName }) => [title, isFileName])).toEqual([
    ['boats.js', true],
    ['Old boats', false],
    ['old-boats', true],
  ]);
});

test('documents of a collection go together by their titles, in order, and not without end', async () => {
  const titles = ['a', 'a', '', '', 'b', ...Array<string>(70).fill('c')];
  const dataset = {
    async *documents() {
      for (const [i, title] of titles.entries()) yield { id: String(i), title, text: 't' };
    },
  };
  const sources = await gather(pairSources(dataset));
  expect(sources.map(({ passages }) => passages.length)).toEqual([2, 1, 1, 1, 64, 6]);
  expect(sources.map(({ goesOn }) => goesOn)).toEqual([false, false, false, false, false, true]);
  expect(sourceKey({ title: 'a' })).not.toBe(sourceKey({ title: 'b' }));
  expect(sourceKey({ title: '' })).toBeUndefined();
});

test('a survey counts what each maker makes, and shows the same pairs for the same seed', async () => {
  const survey = await surveyPairs(docs, { samples: 2 });
  expect(survey).toMatchObject({ documents: 3, sources: 2 });
  const of = (name: string) => survey.makers.find(({ maker }) => maker === name)!;
  expect(of('links')).toMatchObject({
    pairs: 1,
    documents: 1,
    samples: [{ query: 'how to install it', positive: 'install.md#on-windows', whole: true }],
  });
  expect(of('heading')).toMatchObject({ pairs: 1, samples: [{ query: 'Install On Windows' }] });
  expect(await surveyPairs(docs, { samples: 2 })).toEqual(survey);
});

test('a hundred thousand documents are streamed', async () => {
  let alive = 0;
  const dataset = {
    name: 'many',
    async *documents() {
      for (let i = 0; i < 100_000; i++) {
        alive = i;
        yield { id: String(i), title: `Thing ${i}`, text: 'It is small.' };
      }
    },
  };
  let seen = 0;
  for await (const { passages } of pairSources(dataset)) {
    // No more than the one that ended the source has been read ahead.
    expect(alive - passages.at(-1)!.number).toBeLessThanOrEqual(1);
    seen += passages.length;
  }
  expect(seen).toBe(100_000);
});

test('a file that is too long to be kept together counts once', async () => {
  const path = join(folder, 'long');
  await mkdir(path);
  const sections = Array.from(
    { length: 70 },
    (_, i) => `## Part ${i}\n\nThis part is about the thing ${i}.\n`,
  );
  await writeFile(join(path, 'all.md'), sections.join('\n'));
  const { documents, sources } = await surveyPairs(await openDataset(path), { samples: 0 });
  expect(documents).toBeGreaterThan(64);
  expect(sources).toBe(1);
});
