import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fullText, openDataset } from '../../src/data/index.js';
import { Random, Session, type SessionOptions } from '../../src/engine/index.js';
import { Encoder, type EncoderModel, type TokenizedText, tokenizedTexts } from '../../src/model/index.js';

const COLLECTIONS = ['scifact', 'medquad'].map((name) =>
  resolve(import.meta.dirname, '../../../shared/data', name),
);
const REFERENCE_BATCH = 32;

export interface EncodingWorks {
  ours(): Promise<unknown>;
  /** Absent without a reference model. */
  reference?(): Promise<unknown>;
  /** Tokens of the texts, without padding. */
  tokens: number;
}

/** The same texts through our encoder and through somebody else's export of the same model. */
export async function encodingWorks(
  model: EncoderModel,
  options: { session: SessionOptions; texts: number; reference?: string | Uint8Array },
): Promise<EncodingWorks> {
  const encoder = await Encoder.create(model, { session: options.session });
  const strings = await someTexts(options.texts);
  const batch = await encoder.tokenize(strings);
  const tokenized = tokenizedTexts(batch);
  const works: EncodingWorks = { ours: () => encoder.encodeTokens(tokenized), tokens: batch.ids.length };
  if (!options.reference) return works;
  const session = await Session.create(options.reference, options.session);
  return { ...works, reference: () => runReference(session, tokenized.texts) };
}

/** Half documents, half queries, as retrieval has them; made up where there is no collection. */
async function someTexts(count: number): Promise<string[]> {
  const folder = COLLECTIONS.find((path) => existsSync(path));
  const texts: string[] = [];
  if (!folder) {
    const random = Random.from(1, 'bench', 'texts');
    const word = (): string => random.bits().toString(36);
    for (let i = 0; i < count; i++) {
      const words = i % 2 ? 4 + random.integer(12) : 40 + random.integer(120);
      texts.push(Array.from({ length: words }, word).join(' '));
    }
    return texts;
  }
  const dataset = await openDataset(folder);
  for await (const document of dataset.documents()) {
    if (texts.push(fullText(document)) >= count / 2) break;
  }
  for await (const { text } of dataset.queries()) if (texts.push(text) >= count) break;
  return texts;
}

/** Length-sorted batches of 32 padded to their longest; stops at the hidden states, before any pooling. */
async function runReference(session: Session, texts: readonly TokenizedText[]): Promise<void> {
  const sorted = texts.toSorted((a, b) => b.ids.length - a.ids.length);
  for (let first = 0; first < sorted.length; first += REFERENCE_BATCH) {
    const batch = sorted.slice(first, first + REFERENCE_BATCH);
    const length = batch[0].ids.length;
    const table = (): BigInt64Array => new BigInt64Array(batch.length * length);
    const [ids, mask, types] = [table(), table(), table()];
    batch.forEach((text, row) => {
      for (let t = 0; t < text.ids.length; t++) ids[row * length + t] = BigInt(text.ids[t]);
      mask.fill(1n, row * length, row * length + text.ids.length);
    });
    const tensor = (data: BigInt64Array) => ({ shape: [batch.length, length], data });
    await session.run({
      input_ids: tensor(ids),
      attention_mask: tensor(mask),
      token_type_ids: tensor(types),
    });
  }
}
