import type { Encoder } from './encoder.js';

/** A text to encode, with the id that its vector is filed under. */
export interface IdentifiedText {
  id: string;
  text: string;
}

/** The vectors of consecutive records, in their order. */
export interface EncodedChunk {
  ids: string[];
  /** One row of `encoder.dimension` numbers for each id. */
  vectors: Float32Array;
  /** Tokens of the chunk's texts, after cutting to the model's length. */
  tokens: number;
}

export interface EncodeRecordsOptions {
  /** Which of the model's prompts to put before each text. */
  use?: string;
  /** Texts read and sorted by length at once. Default 4096. */
  chunkTexts?: number;
  /** Told after each batch how many texts and tokens it had. */
  onBatch?: (done: { texts: number; tokens: number }) => void;
}

const DEFAULT_CHUNK_TEXTS = 4096;
/** Ends a chunk early where texts are long, so that memory does not depend on what the texts are. */
const CHUNK_CHARACTERS = 16 * 1024 * 1024;

/**
 * Encodes a stream of any length in bounded memory: a chunk at a time, sorted by length inside the encoder, given
 * back in the order it came.
 *
 * @example
 * for await (const { ids, vectors } of encodeRecords(encoder, dataset.queries())) await writer.write(vectors, ids);
 */
export async function* encodeRecords(
  encoder: Encoder,
  records: AsyncIterable<IdentifiedText>,
  options: EncodeRecordsOptions = {},
): AsyncGenerator<EncodedChunk> {
  const { use, chunkTexts = DEFAULT_CHUNK_TEXTS, onBatch } = options;
  for await (const chunk of chunksOf(records, chunkTexts)) {
    let tokens = 0;
    const vectors = await encoder.encode(
      chunk.map(({ text }) => text),
      {
        use,
        onBatch: (done) => {
          tokens += done.tokens;
          onBatch?.(done);
        },
      },
    );
    yield { ids: chunk.map(({ id }) => id), vectors, tokens };
  }
}

async function* chunksOf(
  records: AsyncIterable<IdentifiedText>,
  texts: number,
): AsyncGenerator<IdentifiedText[]> {
  let chunk: IdentifiedText[] = [];
  let characters = 0;
  for await (const record of records) {
    chunk.push(record);
    characters += record.text.length;
    if (chunk.length < texts && characters < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = [];
    characters = 0;
  }
  if (chunk.length > 0) yield chunk;
}
