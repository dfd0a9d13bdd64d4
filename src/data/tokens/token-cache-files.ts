import { createHash } from 'node:crypto';
import { z } from 'zod';
import { fileCheckSchema } from '../../base/checked-file.js';
import { NearmissError } from '../../base/errors.js';
import { parseSealedJson } from '../../base/json-file.js';

/** The files of a token cache. Numbers are little-endian. */
export const CACHE_FILES = {
  /** The tokens of all texts, one after the other. */
  tokens: 'tokens.bin',
  /** Where each text starts, counted in tokens (float64, exact up to 2^53), and one more for the end. */
  offsets: 'offsets.bin',
  /** A CRC-32 for each block of the tokens (uint32). */
  blocks: 'blocks.bin',
  /** The texts' ids, one JSON string a line. */
  ids: 'ids.jsonl',
  /** What the cache was made from, and the sizes and checksums of the other files. */
  meta: 'meta.json',
} as const;

/** Changes whenever the files' layout does, so that older caches are not taken for new ones. */
const FORMAT = 'nearmiss-tokens-1';

/** Bytes of a block: the unit of reading and of checking. */
export const BLOCK_BYTES = 1 << 16;

const metaSchema = z.object({
  format: z.literal(FORMAT),
  key: z.object({
    tokenizer: z.string(),
    maxLength: z.number(),
    composition: z.string(),
    source: z.string(),
  }),
  count: z.number(),
  tokenType: z.enum(['uint16', 'int32']),
  tokenCount: z.number(),
  blockBytes: z.literal(BLOCK_BYTES),
  offsets: fileCheckSchema,
  blocks: fileCheckSchema,
  ids: fileCheckSchema,
});

export type TokenCacheMeta = z.infer<typeof metaSchema>;

/** What the tokens depend on: the same key, the same tokens. */
export type TokenCacheKey = TokenCacheMeta['key'];

export type TokenType = TokenCacheMeta['tokenType'];

/** A cache that is not what its `meta.json` says; it can only be built anew. */
export class DamagedCacheError extends NearmissError {
  constructor(directory: string, reason: string) {
    super(`${directory}: damaged token cache: ${reason}`, {
      hint: 'delete this folder: it is built again when it is next needed',
    });
  }
}

/** The name of a cache's folder. */
export function cacheName(key: TokenCacheKey): string {
  const { tokenizer, maxLength, composition, source } = key;
  const content = JSON.stringify([FORMAT, tokenizer, maxLength, composition, source]);
  return `tokens-${createHash('sha256').update(content).digest('hex').slice(0, 20)}`;
}

export function completeMeta(meta: Omit<TokenCacheMeta, 'format' | 'blockBytes'>): TokenCacheMeta {
  return { format: FORMAT, blockBytes: BLOCK_BYTES, ...meta };
}

export function parseMeta(text: string, directory: string): TokenCacheMeta {
  try {
    return parseSealedJson(text, { where: CACHE_FILES.meta, schema: metaSchema });
  } catch (error) {
    throw new DamagedCacheError(directory, (error as Error).message);
  }
}

/** Bytes of one token. */
export function tokenBytes(type: TokenType): number {
  return type === 'uint16' ? 2 : 4;
}
