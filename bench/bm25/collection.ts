import { once } from 'node:events';
import { createWriteStream, existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Random } from '../../src/engine/random.js';

const DATA = resolve(import.meta.dirname, '../../../shared/data');
const COLLECTIONS = ['medquad', 'msmarco-mini', 'squad', 'scifact'];

/** Sentences a document, uniformly: about 70 words, the length of a web passage. */
const SENTENCES = { least: 2, most: 6 };

/** Of two invented words one is new, the other an earlier one (Simon 1955): their frequencies follow a power law. */
const NEW_SHARE = 0.5;

interface Pool {
  sentences: string[];
  words: number;
  vocabulary: number;
  /** V(n) = K nᵝ, fitted on the collections themselves. */
  heaps: { k: number; beta: number };
}

/**
 * Writes `size` documents made of the sentences of real collections, drawn at random, as JSON lines. Drawing again
 * and again would let the vocabulary stop growing, so words are invented as fast as Heaps' law asks for.
 */
export async function writeCollection(path: string, size: number, seed: number): Promise<void> {
  const pool = loadPool();
  const random = Random.from(seed, 'bench bm25', size);
  const file = createWriteStream(path);
  const invented: number[] = [];
  let newWords = 0;
  let words = 0;
  for (let document = 0; document < size; document++) {
    const parts: string[] = [];
    const count = SENTENCES.least + random.integer(SENTENCES.most - SENTENCES.least + 1);
    for (let i = 0; i < count; i++) {
      const sentence = pool.sentences[random.integer(pool.sentences.length)];
      parts.push(sentence);
      words += sentence.split(' ').length;
    }
    const wanted = pool.heaps.k * words ** pool.heaps.beta - pool.vocabulary;
    while (newWords < wanted) {
      const isNew = invented.length === 0 || random.uniform() < NEW_SHARE;
      const word = isNew ? newWords++ : invented[random.integer(invented.length)];
      invented.push(word);
      parts.push(spell(word));
    }
    const line = `${JSON.stringify({ id: `d${document}`, text: parts.join(' ') })}\n`;
    if (!file.write(line)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'finish');
}

/** Real queries of the same collections, in random order. */
export function sampleQueries(count: number, seed: number): string[] {
  const texts = COLLECTIONS.flatMap((name) => readTexts(join(DATA, name, 'queries.jsonl')));
  return Random.from(seed, 'bench queries').shuffle(texts).slice(0, count);
}

/** Whether the collections are on this machine. */
export function hasCollections(): boolean {
  return COLLECTIONS.every((name) => existsSync(join(DATA, name, 'corpus.jsonl')));
}

function loadPool(): Pool {
  const texts = COLLECTIONS.flatMap((name) => readTexts(join(DATA, name, 'corpus.jsonl')));
  Random.from(1, 'bench pool').shuffle(texts);
  const sentences = texts
    .flatMap((text) => text.split(/(?<=[.!?])\s+/))
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
    .filter((sentence) => sentence.length > 20 && sentence.length < 400);
  const vocabulary = new Set<string>();
  const growth: { words: number; vocabulary: number }[] = [];
  let words = 0;
  sentences.forEach((sentence, i) => {
    for (const word of sentence.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) vocabulary.add(word);
    words += sentence.split(' ').length;
    if (i === sentences.length >> 3) growth.push({ words, vocabulary: vocabulary.size });
  });
  const [early] = growth;
  const beta = Math.log(vocabulary.size / early.vocabulary) / Math.log(words / early.words);
  return {
    sentences,
    words,
    vocabulary: vocabulary.size,
    heaps: { k: vocabulary.size / words ** beta, beta },
  };
}

function readTexts(path: string): string[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).text as string);
}

/** A pronounceable word of its own for every number. */
function spell(number: number): string {
  let word = 'qu';
  for (let rest = number + 1; rest > 0; rest = Math.floor(rest / 70)) {
    word += 'bdfgklmnprstvz'[rest % 14] + 'aeiou'[Math.floor(rest / 14) % 5];
  }
  return `${word}x`;
}
