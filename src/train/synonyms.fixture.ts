import { Random } from '../engine/index.js';
import { madeUpWords, SYLLABLES, writeMadeUp } from './made-up.fixture.js';

/**
 * Writes a collection that can only be searched by learning: a document is a pair of words, a query the same pair in
 * another language. Documents that share a word are the near misses.
 */
export async function writeSynonyms(folder: string, options: { words: number; seed: number }): Promise<void> {
  const random = Random.from(options.seed, 'synonyms');
  const [nouns, adjectives] = [madeUpWords(random, options.words), madeUpWords(random, options.words)];
  const translate = (original: string, i: number): string => `${SYLLABLES[i % 12]}x${original.slice(2)}`;
  // One noun is the same in both languages: without any shared word, BM25 would have no candidates for anyone.
  const translateNoun = (noun: string, n: number): string => (n === 0 ? noun : translate(noun, n));
  const documents = new Map<string, string>();
  const queries = new Map<string, string>();
  const pairs: Record<string, [string, string][]> = { train: [], dev: [] };
  nouns.forEach((noun, n) => {
    adjectives.forEach((adjective, a) => {
      const [query, document] = [`q${n}-${a}`, `d${n}-${a}`];
      documents.set(document, `${adjective} ${noun}`);
      queries.set(query, `${translateNoun(noun, n)} ${translate(adjective, a)}`);
      pairs[random.uniform() < 0.8 ? 'train' : 'dev'].push([query, document]);
    });
  });
  await writeMadeUp(folder, { documents, queries, pairs });
}
