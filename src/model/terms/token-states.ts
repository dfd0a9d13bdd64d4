import type { SessionOptions } from '../../engine/index.js';
import { Encoder } from '../encoder/encoder.js';
import type { EncoderModel } from '../encoder/encoder-model.js';
import type { TokenizedText } from '../encoder/tokenized-texts.js';

/** The states of all tokens of texts, special ones included, one after another, as heads see them. */
export async function tokenStates(
  model: EncoderModel,
  texts: readonly TokenizedText[],
  session?: SessionOptions,
): Promise<Float32Array> {
  const { config } = model.spec;
  const longest = Math.max(...texts.map(({ ids }) => ids.length));
  const head = {
    pooling: 'tokens',
    poolingOptions: { queryMarker: false, documentMarker: false, fillQueries: 0, skip: [], longest },
    normalize: false,
  };
  const encoder = await Encoder.create({ ...model, spec: { config, head } }, { session });
  const offsets = Array.from({ length: texts.length + 1 }, (_, i) => i);
  const { vectors } = await encoder
    .encodeTokens({ texts, offsets }, { side: 'documents' })
    .finally(() => encoder.release());
  return vectors;
}
