import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { writeDirectoryAtomic } from '../../base/files.js';
import type { Tokenizer } from '../../text/tokenizer.js';
import { type Dataset, fullText } from '../dataset.js';
import { cacheName, DamagedCacheError, type TokenCacheKey } from './token-cache-files.js';
import { TokenCache } from './token-cache-reader.js';
import { type TextRecord, writeTokenCache } from './token-cache-writer.js';

/** Texts that can be read more than once, and how they were put together. */
export interface TextSource {
  records(): AsyncIterable<TextRecord>;
  /** What a text consists of, e.g. `title text`; other compositions get caches of their own. */
  composition: string;
}

export interface OpenTokenCacheOptions {
  source: TextSource;
  /**
   * Stands for the content of the source: change the one, change the other. When left out, the source is read
   * through once to compute it, which costs far less than tokenizing.
   */
  fingerprint?: string;
  tokenizer: Tokenizer;
  /** Tokens kept of each text, special tokens included. */
  maxLength: number;
  /** The folder that holds caches; each gets a folder of its own in it. */
  directory: string;
  /** Bytes of tokens kept in memory at most. Default 256 MiB. */
  cacheBytes?: number;
  /** How many texts there are, for the progress bar. */
  total?: number;
  /** No progress on stderr. */
  quiet?: boolean;
}

/** The documents of a dataset, title and text. */
export function documentTexts(dataset: Dataset): TextSource {
  return {
    composition: 'title text',
    async *records() {
      for await (const document of dataset.documents()) yield { id: document.id, text: fullText(document) };
    },
  };
}

/** The queries of a dataset, or of one of its splits. */
export function queryTexts(dataset: Dataset, split?: string): TextSource {
  return { composition: 'text', records: () => dataset.queries(split) };
}

/**
 * Opens the token cache of a source and builds it before where there is none, or where it is damaged. A cache
 * belongs to the content of the source, the tokenizer, the length and the composition: when one of them changes, the
 * old cache is not found any more. It appears complete or not at all.
 *
 * @example
 * const source = documentTexts(await openDataset('data/scifact'));
 * const cache = await openTokenCache({ source, tokenizer, maxLength: 256, directory: 'run/cache' });
 * await cache.close();
 */
export async function openTokenCache(options: OpenTokenCacheOptions): Promise<TokenCache> {
  const { source, tokenizer, maxLength, cacheBytes, total, quiet } = options;
  const key: TokenCacheKey = {
    tokenizer: tokenizer.fingerprint,
    maxLength,
    composition: source.composition,
    source: options.fingerprint ?? (await fingerprintTexts(source)),
  };
  const directory = join(options.directory, cacheName(key));
  try {
    return await TokenCache.open(directory, { cacheBytes });
  } catch (error) {
    if (!(error instanceof DamagedCacheError)) throw error;
  }
  const content = { key, records: source.records(), tokenizer, total, quiet };
  await writeDirectoryAtomic(directory, (temporary) => writeTokenCache(temporary, content), {
    replaces: 'anything',
  });
  return TokenCache.open(directory, { cacheBytes });
}

/** A hash of all ids and texts of a source. */
export async function fingerprintTexts(source: TextSource): Promise<string> {
  const hash = createHash('sha256');
  for await (const { id, text } of source.records()) hash.update(JSON.stringify([id, text]));
  return hash.digest('hex');
}
