import { join } from 'node:path';
import { readJsonFile, writeSealedJsonFile } from '../../base/json-file.js';
import { type Bm25Meta, META_FILE, metaSchema } from './format.js';

/** Keeps the k1 and b that were tuned for an index with it: whoever searches it without naming others takes them. */
export async function saveParameters(
  folder: string,
  { k1, b }: NonNullable<Bm25Meta['parameters']>,
): Promise<void> {
  const path = join(folder, META_FILE);
  const meta = await readJsonFile(path, metaSchema, {
    hint: 'name a folder that "nearmiss bm25 index" made',
  });
  await writeSealedJsonFile(path, { ...meta, parameters: { k1, b } });
}
