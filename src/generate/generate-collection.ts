import { createHash } from 'node:crypto';
import { NearmissError } from '../base/errors.js';
import type { Dataset, Document } from '../data/index.js';
import { fullText } from '../data/index.js';
import { splitText } from '../text/split-text.js';
import { GeneratedFile, type GeneratedQueries } from './generated-file.js';
import type { Passage, QueryGenerator } from './query-generator.js';

export interface GenerateCollectionOptions {
  out: string;
  /** Long documents are read in passages of at most so many words; 0 reads the beginning of each. */
  splitWords?: number;
  /** Only the first documents. */
  limit?: number;
  /** Only these documents, by their numbers. */
  only?: ReadonlySet<number>;
  /** Everything that decides which passages there are, besides the options here. */
  dataFingerprint?: string;
  /** Told after each batch how many passages there are now, those that were known included. */
  onPassages?: (passages: number) => void | Promise<void>;
  /** Stops between batches; what was written stays. */
  signal?: AbortSignal;
}

export interface GenerateOutcome {
  /** Passages in the file, and those of them that were there before. */
  passages: number;
  known: number;
  queries: number;
  finished: boolean;
}

/** Passages of documents that a generator reads. */
interface Numbered extends Passage {
  id: string;
  passage: number;
}

/**
 * Writes queries for every passage of a collection into a file. Killed anywhere, it goes on behind the last passage that
 * was finished; only a batch of passages is in memory.
 */
export async function generateCollection(
  dataset: Pick<Dataset, 'documents'>,
  generator: QueryGenerator,
  options: GenerateCollectionOptions,
): Promise<GenerateOutcome> {
  const { out, splitWords = 0, limit = 0, only, dataFingerprint = '', onPassages, signal } = options;
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([generator.fingerprint, splitWords, limit, dataFingerprint, ...(only ?? [])]))
    .digest('hex');
  const file = await GeneratedFile.open(out, { generator: generator.name, fingerprint });
  let passages = 0;
  let queries = 0;
  let batch: Numbered[] = [];
  const write = async (): Promise<void> => {
    if (batch.length === 0) return;
    const written = await queriesOf(batch, generator);
    await file.add(written);
    passages += batch.length;
    queries += written.reduce((sum, record) => sum + record.queries.length, 0);
    batch = [];
    await onPassages?.(passages);
  };
  try {
    for await (const passage of passagesOf(dataset, { splitWords, limit, only })) {
      if (passages < file.known) {
        passages++;
        continue;
      }
      batch.push(passage);
      if (batch.length < generator.atOnce) continue;
      await write();
      if (signal?.aborted) break;
    }
    if (!signal?.aborted) await write();
  } catch (error) {
    await file.stop();
    throw error;
  }
  const finished = !signal?.aborted;
  if (finished) await file.finish();
  else await file.stop();
  return { passages, known: file.known, queries, finished };
}

async function queriesOf(batch: readonly Numbered[], generator: QueryGenerator): Promise<GeneratedQueries[]> {
  // There is nothing to ask about a document without text.
  const asked = batch.filter(({ text }) => text.trim() !== '');
  const written = asked.length > 0 ? await generator.generate(asked) : [];
  const found = new Map(asked.map((passage, i) => [passage, written[i]]));
  return batch.map((passage) => ({
    id: passage.id,
    passage: passage.passage,
    queries: found.get(passage) ?? [],
  }));
}

async function* passagesOf(
  dataset: Pick<Dataset, 'documents'>,
  { splitWords, limit, only }: { splitWords: number; limit: number; only?: ReadonlySet<number> },
): AsyncGenerator<Numbered> {
  let documents = 0;
  let key = 0;
  for await (const document of dataset.documents()) {
    const number = documents++;
    if (limit > 0 && number >= limit) return;
    if (only && !only.has(number)) continue;
    for (const [passage, text] of passageTexts(document, splitWords).entries()) {
      yield { id: document.id, passage, text, key: key++ };
    }
  }
}

/** A passage as it was when queries were written for it. */
export function passageText(
  document: Document,
  { passage, splitWords }: { passage: number; splitWords: number },
): string {
  const texts = passageTexts(document, splitWords);
  if (passage < texts.length) return texts[passage];
  throw new NearmissError(
    `document ${JSON.stringify(document.id)}: expected passage ${passage + 1}, for which there are queries, got ${texts.length} passages of ${splitWords} words`,
    { hint: 'the queries were written with other --split-words, or for another collection' },
  );
}

/** The passages of a document as generators read them; its title stands before each. */
export function passageTexts(document: Document, splitWords: number): string[] {
  if (splitWords === 0) return [fullText(document)];
  const parts = splitText(document.text, { maxWords: splitWords });
  if (parts.length === 0) return [fullText(document)];
  return parts.map((text) => fullText({ ...document, text }));
}
