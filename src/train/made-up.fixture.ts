import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '../engine/index.js';

export const SYLLABLES = ['ba', 'de', 'fi', 'go', 'lu', 'ma', 'ne', 'pi', 'ro', 'su', 'ta', 've'];

/** So many different words of three syllables. */
export function madeUpWords(random: Random, count: number): string[] {
  const words = new Set<string>();
  while (words.size < count) {
    words.add(Array.from({ length: 3 }, () => SYLLABLES[random.integer(SYLLABLES.length)]).join(''));
  }
  return [...words];
}

/** Texts by their ids, and of each split the pairs of a query and its document. */
export interface MadeUp {
  documents: ReadonlyMap<string, string>;
  queries: ReadonlyMap<string, string>;
  pairs: Readonly<Record<string, readonly (readonly [query: string, document: string])[]>>;
}

/** Writes a collection as a BEIR folder. */
export async function writeMadeUp(folder: string, { documents, queries, pairs }: MadeUp): Promise<void> {
  const write = (file: string, lines: readonly string[]): Promise<void> =>
    writeFile(join(folder, file), `${lines.join('\n')}\n`);
  await mkdir(join(folder, 'qrels'), { recursive: true });
  await write(
    'corpus.jsonl',
    Array.from(documents, ([_id, text]) => JSON.stringify({ _id, title: '', text })),
  );
  await write(
    'queries.jsonl',
    Array.from(queries, ([_id, text]) => JSON.stringify({ _id, text })),
  );
  for (const [split, judged] of Object.entries(pairs)) {
    const lines = judged.map(([query, document]) => `${query}\t${document}\t1`);
    await write(join('qrels', `${split}.tsv`), ['query-id\tcorpus-id\tscore', ...lines]);
  }
}
