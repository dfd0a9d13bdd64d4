import { join } from 'node:path';
import { beforeAll } from 'vitest';
import { fillNormal, type ParameterStore, randomKey, Session } from '../engine/index.js';
import { batchCount, type TokenBatch, tokensAt } from '../text/token-batch.js';
import { tokenizerJsons } from '../text/tokenizer.fixture.js';
import { type TextPair, Tokenizer } from '../text/tokenizer.js';
import { CrossEncoder } from './cross-encoder/cross-encoder.js';
import {
  type CrossEncoderModel,
  createCrossEncoder,
  loadCrossEncoder,
  saveCrossEncoder,
} from './cross-encoder/cross-encoder-model.js';
import { isCrossEncoder } from './cross-encoder/cross-encoder-names.js';
import { Encoder } from './encoder/encoder.js';
import { createEncoderModel, type EncoderModel } from './encoder/encoder-model.js';
import type { HeadOptions } from './encoder/head-config.js';
import { saveEncoderModel } from './encoder/save-encoder.js';
import { isTwoTowers, loadSide, TOWER_FOLDERS } from './folder/tower-folders.js';
import { testModelKind } from './model-kind.conformance.js';

const USES = ['query', 'document'] as const;
type Use = (typeof USES)[number];
const ONE_THREAD = { session: { threads: 1 } };

let wordPiece: Tokenizer;
let roberta: Tokenizer;
beforeAll(async () => {
  const jsons = await tokenizerJsons();
  wordPiece = await Tokenizer.fromJson(jsons.wordPiece);
  roberta = await Tokenizer.fromJson(jsons.roberta);
});

/** Weights large enough for outputs to differ. */
function randomize(parameters: ParameterStore, seed: number): void {
  for (const name of parameters.names) fillNormal(parameters.get(name), 0.3, randomKey(seed, name));
}

function encoder(head: HeadOptions, seed: number): EncoderModel {
  const sizes = { hiddenSize: 8, layers: 2, heads: 2, intermediateSize: 16, maxLength: 20 };
  const model = createEncoderModel({ tokenizer: wordPiece, ...sizes, head });
  randomize(model.parameters, seed);
  return { ...model, maxLength: 12 };
}

async function encode(model: EncoderModel, texts: readonly string[], use: Use): Promise<Float32Array> {
  const compiled = await Encoder.create(model, ONE_THREAD);
  const { vectors } = await compiled.encode(texts, { use });
  await compiled.release();
  return vectors;
}

/** A batch padded to its longest, as Transformers makes it. */
async function runExport(
  folder: string,
  batch: TokenBatch & { typeIds?: Uint8Array },
  output: string,
): Promise<Float32Array> {
  const texts = Array.from({ length: batchCount(batch) }, (_, i) => tokensAt(batch, i));
  const shape = [texts.length, Math.max(...texts.map(({ length }) => length))];
  const [ids, mask, types] = Array.from({ length: 3 }, () => new BigInt64Array(shape[0] * shape[1]));
  texts.forEach((tokens, row) => {
    tokens.forEach((id, i) => {
      ids[row * shape[1] + i] = BigInt(id);
      mask[row * shape[1] + i] = 1n;
      types[row * shape[1] + i] = BigInt(batch.typeIds?.[batch.offsets[row] + i] ?? 0);
    });
  });
  const session = await Session.create(join(folder, 'onnx', 'model.onnx'), ONE_THREAD.session);
  const outputs = await session.run({
    input_ids: { shape, data: ids },
    attention_mask: { shape, data: mask },
    token_type_ids: { shape, data: types },
  });
  await session.release();
  return outputs[output].data as Float32Array;
}

async function encodeByExport(
  folder: string,
  model: EncoderModel,
  texts: readonly string[],
  use: Use,
): Promise<Float32Array> {
  const compiled = await Encoder.create(model, ONE_THREAD);
  const batch = await compiled.tokenize(texts, use);
  await compiled.release();
  return runExport(folder, batch, 'sentence_embedding');
}

function settingsOf({ spec, maxLength, prompts, lowercase }: EncoderModel) {
  return { spec, maxLength, prompts, lowercase };
}

async function byUse<T>(make: (use: Use) => Promise<T>): Promise<Record<Use, T>> {
  return { query: await make('query'), document: await make('document') };
}

testModelKind<EncoderModel>({
  name: 'shared',
  create: async (seed) => ({
    ...encoder({ pooling: 'first', projection: 6, layerNorm: true, normalize: false }, seed),
    prompts: { query: 'near ', document: 'miss ' },
    lowercase: true,
  }),
  save: (folder, model) => saveEncoderModel(folder, model),
  load: (folder) => loadSide(folder, 'documents'),
  holds: async (folder) => !(await isTwoTowers(folder)) && !(await isCrossEncoder(folder)),
  parameters: ({ parameters }) => [parameters],
  settings: settingsOf,
  outputs: (model, texts) => byUse((use) => encode(model, texts, use)),
  exported: (folder, model, texts) => byUse((use) => encodeByExport(folder, model, texts, use)),
});

testModelKind<Record<Use, EncoderModel>>({
  name: 'two-towers',
  create: async (seed) => ({
    query: encoder({ pooling: 'mean', normalize: true }, 2 * seed),
    document: encoder({ pooling: 'mean', normalize: true }, 2 * seed + 1),
  }),
  async save(folder, { query, document }) {
    await saveEncoderModel(join(folder, TOWER_FOLDERS.queries), query);
    await saveEncoderModel(join(folder, TOWER_FOLDERS.documents), document);
  },
  load: async (folder) => ({
    query: await loadSide(folder, 'queries'),
    document: await loadSide(folder, 'documents'),
  }),
  holds: isTwoTowers,
  parameters: (towers) => USES.map((use) => towers[use].parameters),
  settings: ({ query, document }) => ({ ...settingsOf(query), document: settingsOf(document) }),
  outputs: (towers, texts) => byUse((use) => encode(towers[use], texts, use)),
  exported: (folder, towers, texts) =>
    byUse((use) => encodeByExport(join(folder, use), towers[use], texts, use)),
});

function pairsOf(texts: readonly string[]): TextPair[] {
  return texts.map((text) => [texts[0], text]);
}

testModelKind<CrossEncoderModel>({
  name: 'cross',
  async create(seed) {
    const sizes = { hiddenSize: 8, layers: 2, heads: 2, intermediateSize: 16, maxLength: 40 };
    const body = createEncoderModel({ tokenizer: roberta, ...sizes });
    const positionOffset = roberta.padId + 1;
    Object.assign(body.spec.config, { architecture: 'roberta', modelType: 'roberta', positionOffset });
    const model = createCrossEncoder({ ...body, maxLength: 24 });
    randomize(model.parameters, seed);
    return model;
  },
  save: (folder, model) => saveCrossEncoder(folder, model),
  load: (folder) => loadCrossEncoder(folder),
  holds: isCrossEncoder,
  parameters: ({ parameters }) => [parameters],
  settings: ({ spec, maxLength }) => ({ spec, maxLength }),
  async outputs(model, texts) {
    const compiled = await CrossEncoder.create(model, ONE_THREAD);
    const scores = await compiled.scorePairs(pairsOf(texts));
    await compiled.release();
    return { scores };
  },
  async exported(folder, { tokenizer, maxLength }, texts) {
    const batch = await tokenizer.encodePairs(pairsOf(texts), { maxLength });
    return { scores: await runExport(folder, batch, 'logits') };
  },
});
