import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Random } from '../engine/index.js';

const SYLLABLES = ['ba', 'de', 'fi', 'go', 'lu', 'ma', 'ne', 'pi', 'ro', 'su', 'ta', 've'];

/**
 * Writes a collection in which some words count and others do not: a document has two key words among fillers, a query
 * names the key words of its document and fillers of another one. Fillers are rarer, so BM25 follows them.
 */
export async function writeKeyWords(
  folder: string,
  { documents = 200, seed = 1 }: { documents?: number; seed?: number } = {},
): Promise<void> {
  const random = Random.from(seed, 'key words');
  const words = new Set<string>();
  while (words.size < 20 + 60) {
    words.add(Array.from({ length: 3 }, () => SYLLABLES[random.integer(SYLLABLES.length)]).join(''));
  }
  const [keys, fillers] = [[...words].slice(0, 20), [...words].slice(20)];
  const draw = (from: readonly string[], count: number): string[] => {
    const drawn = new Set<string>();
    while (drawn.size < count) drawn.add(from[random.integer(from.length)]);
    return [...drawn];
  };
  const pairs = new Set<string>();
  while (pairs.size < Math.min(documents, 180)) pairs.add(draw(keys, 2).sort().join(' '));
  const texts = [...pairs].map((pair) => ({ key: pair.split(' '), filler: draw(fillers, 5) }));
  const corpus = texts.map(({ key, filler }, i) => {
    const text = [filler[0], key[0], ...filler.slice(1, 4), key[1], filler[4]].join(' ');
    return JSON.stringify({ _id: `d${i}`, title: '', text });
  });
  const queries = texts.map(({ key }, i) => {
    const other = texts[(i + 1 + random.integer(texts.length - 1)) % texts.length];
    return JSON.stringify({ _id: `q${i}`, text: [...key, ...draw(other.filler, 2)].join(' ') });
  });
  const qrels: Record<string, string[]> = { train: [], dev: [] };
  texts.forEach((_, i) => {
    qrels[i % 4 === 0 ? 'dev' : 'train'].push(`q${i}\td${i}\t1`);
  });
  await mkdir(join(folder, 'qrels'), { recursive: true });
  await writeFile(join(folder, 'corpus.jsonl'), `${corpus.join('\n')}\n`);
  await writeFile(join(folder, 'queries.jsonl'), `${queries.join('\n')}\n`);
  for (const [split, lines] of Object.entries(qrels)) {
    await writeFile(
      join(folder, 'qrels', `${split}.tsv`),
      `query-id\tcorpus-id\tscore\n${lines.join('\n')}\n`,
    );
  }
}
