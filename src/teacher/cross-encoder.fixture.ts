import { fillNormal, randomKey } from '../engine/index.js';
import { createCrossEncoder, createEncoderModel, saveCrossEncoder } from '../model/index.js';
import { Tokenizer } from '../text/index.js';
import { tokenizerJsons } from '../text/tokenizer.fixture.js';

/** Writes a cross-encoder that reads in microseconds and knows nothing. */
export async function writeCrossEncoder(folder: string): Promise<void> {
  const tokenizer = await Tokenizer.fromJson((await tokenizerJsons()).wordPiece);
  const options = { tokenizer, hiddenSize: 8, layers: 1, heads: 2, maxLength: 20, dropout: 0 };
  const model = createCrossEncoder(createEncoderModel(options));
  for (const name of model.parameters.names) {
    if (!/LayerNorm/.test(name)) fillNormal(model.parameters.get(name), 0.5, randomKey(1, name));
  }
  await saveCrossEncoder(folder, model, { onnx: false });
}
