import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../base/files.js';
import type { Document } from '../data/index.js';

/** Writes documents as a BEIR folder. */
export async function writeCollection(folder: string, documents: readonly Document[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  const lines = documents.map(({ id, ...rest }) => JSON.stringify({ _id: id, ...rest }));
  await writeFileAtomic(join(folder, 'corpus.jsonl'), `${lines.join('\n')}\n`);
}
