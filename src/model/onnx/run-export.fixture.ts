import type { DenseTensor, Session } from '../../engine/index.js';
import { tokensAt } from '../../text/token-batch.js';
import type { EncoderModel } from '../encoder/encoder-model.js';

/**
 * Vectors of length 1 from an export that ONNX Runtime runs itself, by its `last_hidden_state`; `model` tells how texts
 * become tokens and how states are pooled.
 */
export async function runExport(
  session: Session,
  { tokenizer, maxLength, spec }: EncoderModel,
  texts: readonly string[],
): Promise<Float32Array> {
  const batch = await tokenizer.encodeBatch([...texts], { maxLength });
  const tokens = texts.map((_, i) => tokensAt(batch, i));
  const length = Math.max(...tokens.map((ids) => ids.length));
  const feed = (at: (ids: ArrayLike<number>, i: number) => number): DenseTensor => {
    const data = new BigInt64Array(texts.length * length);
    for (const [text, ids] of tokens.entries()) {
      for (let i = 0; i < ids.length; i++) data[text * length + i] = BigInt(at(ids, i));
    }
    return { shape: [texts.length, length], data };
  };
  const { last_hidden_state: states } = await session.run(
    { input_ids: feed((ids, i) => ids[i]), attention_mask: feed(() => 1), token_type_ids: feed(() => 0) },
    { outputs: ['last_hidden_state'] },
  );
  const size = spec.config.hiddenSize;
  const vectors = new Float32Array(texts.length * size);
  for (const [text, ids] of tokens.entries()) {
    const used = spec.head.pooling === 'first' ? 1 : ids.length;
    const sums = new Float64Array(size);
    for (let i = 0; i < used; i++) {
      for (let k = 0; k < size; k++) sums[k] += Number(states.data[(text * length + i) * size + k]);
    }
    const norm = Math.hypot(...sums);
    for (let k = 0; k < size; k++) vectors[text * size + k] = sums[k] / norm;
  }
  return vectors;
}
