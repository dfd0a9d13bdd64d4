import { join } from 'node:path';
import { CheckedFile } from '../../base/checked-file.js';
import { describe, NearmissError } from '../../base/errors.js';
import { writeSealedJsonFile } from '../../base/json-file.js';
import { count, Progress } from '../../base/progress.js';
import { batchCount } from '../../text/token-batch.js';
import type { Tokenizer } from '../../text/tokenizer.js';
import { IdTable } from '../id-table.js';
import { BlockWriter } from './block-writer.js';
import {
  BLOCK_BYTES,
  CACHE_FILES,
  completeMeta,
  type TokenCacheKey,
  type TokenType,
} from './token-cache-files.js';

/** A text with its name, as documents and queries both are. */
export interface TextRecord {
  id: string;
  text: string;
}

export interface TokenCacheContent {
  key: TokenCacheKey;
  records: AsyncIterable<TextRecord>;
  tokenizer: Tokenizer;
  /** How many records there are, for the progress bar. */
  total?: number;
  quiet?: boolean;
}

const BATCH_TEXTS = 2048;
const BATCH_CHARACTERS = 4 << 20;

/** Tokenizes all records into the files of a cache; in memory are one batch of texts and the ids. */
export async function writeTokenCache(directory: string, content: TokenCacheContent): Promise<void> {
  const files: CheckedFile[] = [];
  const create = async (name: string): Promise<CheckedFile> => {
    const file = await CheckedFile.create(join(directory, name));
    files.push(file);
    return file;
  };
  try {
    const tokens = new BlockWriter(await create(CACHE_FILES.tokens), BLOCK_BYTES);
    const [offsets, blocks, ids] = [
      await create(CACHE_FILES.offsets),
      await create(CACHE_FILES.blocks),
      await create(CACHE_FILES.ids),
    ];
    const tokenType: TokenType = content.tokenizer.vocabularySize <= 2 ** 16 ? 'uint16' : 'int32';
    const counts = await writeRecords(content, { tokens, offsets, ids, tokenType });
    await blocks.write(await tokens.finish());
    for (const file of files) await file.commit();
    const checks = { offsets: offsets.check, blocks: blocks.check, ids: ids.check };
    const meta = completeMeta({ key: content.key, tokenType, ...counts, ...checks });
    await writeSealedJsonFile(join(directory, CACHE_FILES.meta), meta);
  } catch (error) {
    for (const file of files) await file.abort();
    throw error;
  }
}

interface RecordFiles {
  tokens: BlockWriter;
  offsets: CheckedFile;
  ids: CheckedFile;
  tokenType: TokenType;
}

async function writeRecords(
  content: TokenCacheContent,
  files: RecordFiles,
): Promise<{ count: number; tokenCount: number }> {
  const { tokenizer, key, total, quiet } = content;
  const progress = new Progress({ label: 'tokenize', unit: 'texts', total, quiet });
  const ids = new IdTable();
  let tokenCount = 0;
  await files.offsets.write(Float64Array.of(0));
  for await (const records of batches(content.records, ids)) {
    const batch = await tokenizer.encodeBatch(
      records.map(({ text }) => text),
      { maxLength: key.maxLength },
    );
    const ends = Float64Array.from(batch.offsets.subarray(1), (offset) => tokenCount + offset);
    await files.tokens.write(files.tokenType === 'uint16' ? Uint16Array.from(batch.ids) : batch.ids);
    await files.offsets.write(ends);
    await files.ids.write(records.map(({ id }) => `${JSON.stringify(id)}\n`).join(''));
    tokenCount += batch.ids.length;
    progress.advance(batchCount(batch));
  }
  progress.finish(`${count(tokenCount)} tokens`);
  return { count: ids.size, tokenCount };
}

async function* batches(records: AsyncIterable<TextRecord>, ids: IdTable): AsyncGenerator<TextRecord[]> {
  let batch: TextRecord[] = [];
  let characters = 0;
  for await (const record of records) {
    check(record, ids);
    batch.push(record);
    characters += record.text.length;
    if (batch.length >= BATCH_TEXTS || characters >= BATCH_CHARACTERS) {
      yield batch;
      batch = [];
      characters = 0;
    }
  }
  if (batch.length > 0) yield batch;
}

function check({ id, text }: TextRecord, ids: IdTable): void {
  const hint = 'find the record with: nearmiss data validate';
  const number = ids.size + 1;
  if (typeof id !== 'string' || id === '') {
    throw new NearmissError(`record ${number}: field "id": expected a text, got ${describe(id)}`, { hint });
  }
  if (typeof text !== 'string') {
    throw new NearmissError(
      `record ${number} ("${id}"): field "text": expected a text, got ${describe(text)}`,
      { hint },
    );
  }
  if (!ids.add(id)) {
    throw new NearmissError(
      `record ${number}: the id "${id}" is that of record ${ids.indexOf(id) + 1}, too`,
      { hint },
    );
  }
}
