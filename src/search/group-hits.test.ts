import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { searchGroups } from './group-hits.js';
import { openSearcher } from './open/open-searcher.js';
import { placeOf, placeText } from './passage-place.js';

test('hits by file, with their places and what is around them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-groups-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const section = (i: number): string => `## Part ${i}\n\nThe apple number ${i} is red and round.\n\n`;
  const many = Array.from({ length: 60 }, (_, i) => section(i)).join('');
  await writeFile(join(folder, 'many.md'), `# Many\n\n${many}`);
  await writeFile(
    join(folder, 'one.md'),
    '# One\n\nAn apple a day keeps somebody away, or so they say in the long run.\n',
  );
  await writeFile(join(folder, 'none.txt'), 'Nothing of the kind in here.\n');
  const searcher = await openSearcher(folder);
  onTestFinished(() => searcher.close());
  const retriever = searcher.retriever('bm25');
  const [plain] = await retriever.search(['apple'], { k: 10 });
  expect(plain.every(({ id }) => id.startsWith('many.md#'))).toBe(true);
  const [files] = await searchGroups(retriever, searcher.documents, ['apple'], { k: 2, groupBy: 'file' });
  expect(files.map(({ id, group }) => [id.split('#')[0], group!.value, group!.others.length])).toEqual([
    ['many.md', 'many.md', 59],
    ['one.md', 'one.md', 0],
  ]);
  expect(files[0].id).toBe(plain[0].id);

  const place = async (id: string) =>
    placeOf((await searcher.documents.get(id))!, (other) => searcher.documents.has(other))!;
  expect(await place('many.md#2')).toEqual({
    path: 'many.md',
    anchor: 'part-1',
    previous: 'many.md#1',
    next: 'many.md#3',
  });
  expect(placeText(await place('many.md#2'))).toBe('many.md#part-1');
  expect(placeText(await place('none.txt#1'))).toBe('none.txt:1');
  expect(await place('one.md#1')).not.toHaveProperty('next');
  expect(placeOf({ id: 'x', text: 'y' }, () => true)).toBeUndefined();
});

test('what every object has is no field of a document', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-groups-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const lines = ['apple', 'apple pie'].map((text, i) =>
    JSON.stringify({ _id: `d${i}`, text, metadata: { n: i } }),
  );
  await writeFile(join(folder, 'corpus.jsonl'), `${lines.join('\n')}\n`);
  const searcher = await openSearcher(folder);
  onTestFinished(() => searcher.close());
  for (const groupBy of ['constructor', '__proto__', 'toString']) {
    const options = { k: 5, groupBy };
    const [hits] = await searchGroups(searcher.retriever('bm25'), searcher.documents, ['apple'], options);
    expect(hits.map(({ group }) => group)).toEqual([undefined, undefined]);
  }
});
