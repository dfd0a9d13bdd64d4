import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Random } from '../engine/index.js';

const SYLLABLES = ['ba', 'de', 'fi', 'go', 'lu', 'ma', 'ne', 'pi', 'ro', 'su', 'ta', 've'];

/**
 * Writes a collection that can only be searched by learning: a document is a pair of words, a query the same pair in
 * another language. Documents that share a word are the near misses.
 */
export async function writeSynonyms(folder: string, options: { words: number; seed: number }): Promise<void> {
  const random = Random.from(options.seed, 'synonyms');
  const word = (): string =>
    Array.from({ length: 3 }, () => SYLLABLES[random.integer(SYLLABLES.length)]).join('');
  const distinct = (): string[] => {
    const words = new Set<string>();
    while (words.size < options.words) words.add(word());
    return [...words];
  };
  const [nouns, adjectives] = [distinct(), distinct()];
  const translate = (original: string, i: number): string => `${SYLLABLES[i % 12]}x${original.slice(2)}`;
  // One noun is the same in both languages: without any shared word, BM25 would have no candidates for anyone.
  const translateNoun = (noun: string, n: number): string => (n === 0 ? noun : translate(noun, n));
  const corpus: string[] = [];
  const queries: string[] = [];
  const qrels: Record<string, string[]> = { train: [], dev: [] };
  nouns.forEach((noun, n) => {
    adjectives.forEach((adjective, a) => {
      const id = `${n}-${a}`;
      corpus.push(JSON.stringify({ _id: `d${id}`, title: '', text: `${adjective} ${noun}` }));
      queries.push(
        JSON.stringify({ _id: `q${id}`, text: `${translateNoun(noun, n)} ${translate(adjective, a)}` }),
      );
      qrels[random.uniform() < 0.8 ? 'train' : 'dev'].push(`q${id}\td${id}\t1`);
    });
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
