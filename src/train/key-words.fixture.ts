import { Random } from '../engine/index.js';
import { madeUpWords, writeMadeUp } from './made-up.fixture.js';

const KEYS = 20;
const FILLERS = 60;

/**
 * Writes a collection in which some words count and others do not: a document has two key words among fillers, a query
 * names the key words of its document and fillers of another one. Fillers are rarer, so BM25 follows them.
 */
export async function writeKeyWords(
  folder: string,
  { documents = 200, seed = 1 }: { documents?: number; seed?: number } = {},
): Promise<void> {
  const random = Random.from(seed, 'key words');
  const words = madeUpWords(random, KEYS + FILLERS);
  const [keys, fillers] = [words.slice(0, KEYS), words.slice(KEYS)];
  const draw = (from: readonly string[], count: number): string[] => {
    const drawn = new Set<string>();
    while (drawn.size < count) drawn.add(from[random.integer(from.length)]);
    return [...drawn];
  };
  const pairs = new Set<string>();
  while (pairs.size < Math.min(documents, 180)) pairs.add(draw(keys, 2).sort().join(' '));
  const texts = [...pairs].map((pair) => ({ key: pair.split(' '), filler: draw(fillers, 5) }));
  const corpus = texts.map(({ key, filler }) =>
    [filler[0], key[0], ...filler.slice(1, 4), key[1], filler[4]].join(' '),
  );
  const queries = texts.map(({ key }, i) => {
    const other = texts[(i + 1 + random.integer(texts.length - 1)) % texts.length];
    return [...key, ...draw(other.filler, 2)].join(' ');
  });
  const judged = texts.map((_, i) => [`q${i}`, `d${i}`] as const);
  await writeMadeUp(folder, {
    documents: new Map(corpus.map((text, i) => [`d${i}`, text])),
    queries: new Map(queries.map((text, i) => [`q${i}`, text])),
    pairs: { train: judged.filter((_, i) => i % 4 !== 0), dev: judged.filter((_, i) => i % 4 === 0) },
  });
}
