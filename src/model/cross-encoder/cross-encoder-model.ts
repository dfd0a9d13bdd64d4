import { NearmissError } from '../../base/errors.js';
import { emitOnnx, first, Graph, ParameterStore } from '../../engine/index.js';
import type { Tokenizer } from '../../text/tokenizer.js';
import { checkSizes } from '../encoder/check-sizes.js';
import type { EncoderConfig } from '../encoder/config.js';
import type { EncoderModel, LoadModelOptions } from '../encoder/encoder-model.js';
import { initialize } from '../encoder/initialize.js';
import { checkLength, withLayers } from '../encoder/model-checks.js';
import type { TokenizedText } from '../encoder/tokenized-texts.js';
import { loadTokenizer } from '../folder/load-tokenizer.js';
import { type ExportOptions, exportedStates, inputEnding } from '../folder/onnx-export.js';
import { fillFolder, type SavedModel, type SaveModelOptions, saveFolder } from '../folder/save-model.js';
import { openModel } from '../folder/source.js';
import type { Weights } from '../folder/weights.js';
import {
  type CrossEncoderSpec,
  crossEncoderParameters,
  SCORE_NAMES,
  scoreHead,
} from './cross-encoder-graph.js';
import { crossEncoderConfig, storedName, weightName } from './cross-encoder-names.js';

/** A model that reads a query and a document together and gives their score, with its weights in memory. */
export interface CrossEncoderModel {
  /** What it is called in tables and cards. */
  name: string;
  spec: CrossEncoderSpec;
  parameters: ParameterStore;
  tokenizer: Tokenizer;
  /** Tokens kept of a pair, special tokens included; of a pair that is too long, the longer text is cut first. */
  maxLength: number;
}

/**
 * A cross-encoder on the transformer of any encoder, with new scoring layers; it has to be trained.
 *
 * @example
 * const model = createCrossEncoder(await loadEncoderModel('minilm', { layers: 3 }), { seed: 1 });
 */
export function createCrossEncoder(
  { name, spec: { config }, parameters: from, tokenizer, maxLength }: EncoderModel,
  { seed = 0 }: { seed?: number } = {},
): CrossEncoderModel {
  const spec = { config };
  const parameters = new ParameterStore(crossEncoderParameters(spec));
  for (const parameter of parameters.names) {
    if (isOfHead(parameter)) initialize(parameters, parameter, seed);
    else parameters.get(parameter).set(from.get(parameter));
  }
  return { name, spec, parameters, tokenizer, maxLength };
}

export interface LoadCrossEncoderOptions extends Omit<LoadModelOptions, 'head'> {
  /** Give a model that scores nothing yet new scoring layers, drawn by `seed`, instead of refusing it. */
  newHead?: boolean;
}

/**
 * Loads a cross-encoder: a folder or hub id of `BertForSequenceClassification` or its RoBERTa kin with one label,
 * such as `cross-encoder/ms-marco-MiniLM-L6-v2`; with `newHead` any encoder to start training from.
 *
 * @example
 * const model = await loadCrossEncoder('runs/reranker/best');
 * const untrained = await loadCrossEncoder('minilm', { newHead: true, seed: 1, layers: 3 });
 */
export async function loadCrossEncoder(
  init: string,
  options: LoadCrossEncoderOptions = {},
): Promise<CrossEncoderModel> {
  const source = await openModel(init, options);
  try {
    checkSizes(source);
    const { folder, weights } = source;
    const config = withLayers(source.config, options.layers, folder);
    const spec = { config };
    checkHead(weights, config, { folder, optional: options.newHead === true });
    const parameters = new ParameterStore(crossEncoderParameters(spec));
    const tokenizer = await loadTokenizer(
      { source, config },
      fillParameters(parameters, { weights, config, seed: options.seed ?? 0 }),
    );
    const longest = Math.min(source.maxSequenceLength, tokenizer.maxLength ?? Number.POSITIVE_INFINITY);
    const maxLength = checkLength(options.maxLength ?? longest, config);
    return { name: source.name, spec, parameters, tokenizer, maxLength };
  } finally {
    await source.weights.close();
  }
}

async function fillParameters(
  parameters: ParameterStore,
  { weights, config, seed }: { weights: Weights; config: EncoderConfig; seed: number },
): Promise<void> {
  for (const { name, shape } of parameters.specs) {
    const stored = nameAmong(weights, name, config);
    if (isOfHead(name) && !weights.has(stored)) initialize(parameters, name, seed);
    else await weights.read(stored, shape, parameters.get(name));
  }
}

/** A query and a document, each tokenised by itself, as the model reads them together. */
export function joinTexts(
  { tokenizer, maxLength }: CrossEncoderModel,
  query: TokenizedText,
  document: TokenizedText,
): TokenizedText {
  const { ids, typeIds } = tokenizer.joinPair(query.ids, document.ids, { maxLength });
  return { ids, types: typeIds };
}

/** Saves a cross-encoder as a folder; it appears complete or not at all. See {@link fillCrossEncoderFolder}. */
export async function saveCrossEncoder(
  folder: string,
  model: CrossEncoderModel,
  options: SaveModelOptions & { overwrite?: boolean } = {},
): Promise<void> {
  await saveFolder(folder, (temporary) => fillCrossEncoderFolder(temporary, model, options), options);
}

/**
 * Writes a cross-encoder as Transformers' `BertForSequenceClassification` with one label, which
 * sentence-transformers' `CrossEncoder` and Transformers.js load, too, into a folder that the caller makes appear.
 */
export async function fillCrossEncoderFolder(
  folder: string,
  model: CrossEncoderModel,
  { card, onnx }: SaveModelOptions = {},
): Promise<void> {
  const { spec, parameters, tokenizer, maxLength } = model;
  const saved: SavedModel = {
    config: crossEncoderConfig(spec.config),
    tensors: parameters.specs.map(({ name, shape }) => ({
      name: storedName(name, spec.config),
      shape: [...shape],
      data: parameters.get(name),
    })),
    tokenizer,
    maxLength,
    async card() {
      // Not loaded with the file: who opens a model to rerank with it, writes no card.
      const { renderCrossEncoderCard } = await import('./cross-encoder-card.js');
      return renderCrossEncoderCard({
        name: model.name,
        maxSequenceLength: maxLength,
        dequantizedFrom: spec.config.dequantizedFrom,
        ...card,
      });
    },
    onnx: () => exportCrossEncoder(model),
  };
  await fillFolder(folder, saved, { onnx });
}

/** The model as other people's runtimes expect it: `logits` [batch, 1] out, standard operators only, weights inside. */
export function exportCrossEncoder(
  { spec, parameters, tokenizer, maxLength }: CrossEncoderModel,
  { quantize = false }: ExportOptions = {},
): Uint8Array {
  const graph = new Graph();
  const ending = inputEnding(tokenizer, maxLength);
  const { states, parameter } = exportedStates(graph, spec.config, crossEncoderParameters(spec), ending);
  const logits = scoreHead(first(states, { axis: 1 }), parameter);
  const weights = (name: string): Float32Array => parameters.get(name);
  return emitOnnx(graph, { outputs: { logits }, weights, portable: true, quantize });
}

/** The name that weights have for one of our parameters: Transformers' own, or in our ONNX exports ours. */
function nameAmong(weights: Weights, name: string, config: EncoderConfig): string {
  return weights.has(name) ? name : weightName(name, config);
}

function isOfHead(name: string): boolean {
  return name.startsWith('head.');
}

function checkHead(
  weights: Weights,
  config: EncoderConfig,
  { folder, optional }: { folder: string; optional: boolean },
): void {
  const name = nameAmong(weights, SCORE_NAMES.scoreWeight, config);
  if (!weights.has(name)) {
    if (optional) return;
    throw new NearmissError(`${folder}: not a cross-encoder: its weights have no "${name}"`, {
      hint: 'train one with `nearmiss train --recipe reranker`, or name a folder such as cross-encoder/ms-marco-MiniLM-L6-v2',
    });
  }
  const [labels] = weights.shape(name);
  if (labels === 1) return;
  throw new NearmissError(
    `${folder}: expected a cross-encoder with one score, got one with ${labels} labels`,
    {
      hint: 'choose a reranker; models that sort pairs into classes (inference, paraphrases) give no score to rank by',
    },
  );
}
