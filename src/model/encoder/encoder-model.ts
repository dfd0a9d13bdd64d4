import { z } from 'zod';
import { NearmissError } from '../../base/errors.js';
import { ParameterStore } from '../../engine/index.js';
import type { Tokenizer } from '../../text/tokenizer.js';
import { lateConfig, lateFormOf, lateTensors, writeLateFiles } from '../folder/colbert-writer.js';
import { loadTokenizer } from '../folder/load-tokenizer.js';
import type { ModelFolder } from '../folder/model-folder.js';
import { encoderEnding, exportOnnx } from '../folder/onnx-export.js';
import { fillFolder, type SavedModel, type SaveModelOptions, saveFolder } from '../folder/save-model.js';
import { writeSentenceTransformersFiles } from '../folder/sentence-transformers-writer.js';
import { type OpenModel, openModel } from '../folder/source.js';
import { writeSparseFiles } from '../folder/sparse-encoder.js';
import { resolveTokenSettings } from '../folder/token-settings.js';
import type { HubOptions } from '../hub/hub.js';
import { MLM_HEAD } from '../mlm/mlm-head.js';
import { mlmConfig, mlmTensors, readMlmHead } from '../mlm/mlm-names.js';
import { isSided, type Pooling, representations } from '../representation/kinds.js';
import type { Side } from '../side.js';
import { checkRoom, checkSizes } from './check-sizes.js';
import { type EncoderConfig, maxInputLength, toHuggingFaceConfig } from './config.js';
import { type EncoderSpec, embeddingSize, encoderParameters, type HeadConfig } from './encoder-graph.js';
import { HEAD_LAYER_NORM_EPS, HEAD_NAMES, type HeadDescription, headTensors } from './head.js';
import { initialize } from './initialize.js';
import { checkLength, withLayers } from './model-checks.js';

/** An encoder with its weights, in memory: what training changes and what a folder holds. */
export interface EncoderModel {
  /** What it is called in tables and cards. */
  name: string;
  spec: EncoderSpec;
  parameters: ParameterStore;
  tokenizer: Tokenizer;
  /** Tokens kept of each text. */
  maxLength: number;
  /** Texts to put before inputs, by use. */
  prompts: Record<string, string>;
  lowercase: boolean;
  /** Its MLM head is a new one, which its folder did not have. */
  newMlmHead?: boolean;
  /** Whose texts it was loaded for, where it represents queries and documents differently. */
  side?: Side;
}

/** How a model's texts become tokens. */
export type TextReader = Pick<EncoderModel, 'tokenizer' | 'prompts' | 'lowercase'>;

/** A text as the model's tokenizer is to see it: the prompt for its use before it, lowercase if the model wants that. */
export function prepareText(
  { prompts, lowercase }: Pick<EncoderModel, 'prompts' | 'lowercase'>,
  text: string,
  use?: string,
): string {
  const prompt = (use !== undefined && prompts[use]) || '';
  return lowercase ? (prompt + text).toLowerCase() : prompt + text;
}

/** Changes to a model's head; what is left out stays as the model has it. */
export interface HeadOptions {
  /** A kind of representation, e.g. `first` or `mean`; its options stand beside it. */
  pooling?: string;
  /** Output dimension of a linear layer after pooling; `false` removes the model's own. */
  projection?: number | false;
  /** ANCE's LayerNorm after the projection. */
  layerNorm?: boolean;
  /** Whether the projection has a bias. Default: as the model's own, and else yes. */
  bias?: boolean;
  normalize?: boolean;
  [poolingOption: string]: unknown;
}

export interface LoadModelOptions extends HubOptions {
  /** Keep only the first n layers. */
  layers?: number;
  maxLength?: number;
  head?: HeadOptions;
  /** Decides the initial weights of what the model does not have yet. */
  seed?: number;
}

/**
 * Loads an encoder: `minilm`, a folder, an ONNX export, or a hub id.
 *
 * @example
 * const model = await loadEncoderModel('minilm', { layers: 3, maxLength: 128 });
 */
export async function loadEncoderModel(init: string, options: LoadModelOptions = {}): Promise<EncoderModel> {
  const source = await openModel(init, options);
  try {
    checkSizes(source);
    const config = withLayers(source.config, options.layers, source.folder);
    if (source.guessedPooling && !options.head?.pooling && !options.quiet) tellGuess(source);
    const head = headConfig(source.head, config, options.head);
    const parameters = new ParameterStore(encoderParameters({ config, head }));
    const filling = fillParameters(parameters, source, { chosen: head, seed: options.seed ?? 0 });
    const tokenizer = await loadTokenizer(
      { source, config },
      filling.then(() => undefined),
    );
    const spec = {
      config,
      head: options.head?.pooling ? resolveHead(head, config, tokenizer) : ownHead(head, source, tokenizer),
    };
    return {
      name: source.name,
      spec,
      parameters,
      tokenizer,
      maxLength: checkLength(options.maxLength ?? source.maxSequenceLength, config),
      prompts: source.prompts,
      lowercase: source.lowercase,
      ...((await filling).has(`${MLM_HEAD}.bias`) && { newMlmHead: true }),
    };
  } finally {
    await source.weights.close();
  }
}

function tellGuess({ name, head }: OpenModel): void {
  const how = head.pooling === 'mean' ? 'the mean of its tokens' : 'its first token';
  process.stderr.write(
    `${name}: nothing tells how it makes one vector of a text (modules.json, 1_Pooling/config.json); taking ${how}\n`,
  );
}

/** Reads the weights that a folder has; gives the names of those that it has not. */
async function fillParameters(
  parameters: ParameterStore,
  { head, weights, config }: ModelFolder,
  { chosen, seed }: { chosen: HeadConfig; seed: number },
): Promise<ReadonlySet<string>> {
  const missing = new Set<string>();
  const stored = new Map(headTensors(head).map(({ name, data }) => [name, data]));
  for (const { name, shape } of parameters.specs) {
    const values = parameters.get(name);
    const ofHead = stored.get(name);
    if (ofHead?.length === values.length) values.set(ofHead);
    else if (isHeadName(name)) {
      initialize(parameters, name, seed);
      missing.add(name);
    } else await weights.read(name, shape, values);
  }
  // A head that guesses words is the model's own where it has one.
  if (missing.has(`${MLM_HEAD}.bias`)) {
    const own = mlmPart(parameters);
    if (await readMlmHead(weights, own, config)) {
      for (const name of own.names) {
        parameters.get(name).set(own.get(name));
        missing.delete(name);
      }
    }
  }
  representations.get(chosen.pooling).start?.(parameters, missing);
  return missing;
}

/** Whether a parameter is of what is put on an encoder, and not of the encoder. */
function isHeadName(name: string): boolean {
  return name.startsWith('head.') || name.startsWith(`${MLM_HEAD}.`);
}

/** The part of a model that guesses words, as a copy. */
function mlmPart(parameters: ParameterStore): ParameterStore {
  const part = parameters.zerosLike((name) => name.startsWith(`${MLM_HEAD}.`));
  for (const name of part.names) part.get(name).set(parameters.get(name));
  return part;
}

export interface ScratchModelOptions {
  tokenizer: Tokenizer;
  hiddenSize: number;
  layers: number;
  heads: number;
  /** Default 4 × hiddenSize. */
  intermediateSize?: number;
  /** Default 128. */
  maxLength?: number;
  dropout?: number;
  head?: HeadOptions;
  seed?: number;
  name?: string;
}

/** A BERT with random weights, its sizes chosen and its vocabulary the tokenizer's. */
export function createEncoderModel(options: ScratchModelOptions): EncoderModel {
  const { tokenizer, hiddenSize, layers, heads, maxLength = 128, dropout = 0.1, seed = 0 } = options;
  if (hiddenSize % heads !== 0) {
    throw new NearmissError(`hiddenSize ${hiddenSize} cannot be shared by ${heads} heads`, {
      hint: `choose heads that divide ${hiddenSize}`,
    });
  }
  const config: EncoderConfig = {
    architecture: 'bert',
    modelType: 'bert',
    hiddenSize,
    layers,
    heads,
    intermediateSize: options.intermediateSize ?? 4 * hiddenSize,
    vocabularySize: tokenizer.vocabularySize,
    maxPositions: maxLength,
    typeVocabularySize: 2,
    layerNormEps: 1e-12,
    hiddenAct: 'gelu',
    hiddenDropout: dropout,
    attentionDropout: dropout,
    padTokenId: tokenizer.padId,
    positionOffset: 0,
  };
  checkRoom(config);
  const plain: HeadDescription = { pooling: 'mean', normalize: true, similarity: 'cosine' };
  const head = headConfig(plain, config, options.head);
  const spec = { config, head: options.head?.pooling ? resolveHead(head, config, tokenizer) : head };
  const parameters = new ParameterStore(encoderParameters(spec));
  for (const name of parameters.names) initialize(parameters, name, seed);
  representations.get(head.pooling).start?.(parameters, new Set(parameters.names));
  const name = options.name ?? `bert-${layers}x${hiddenSize}`;
  return {
    name,
    spec,
    parameters,
    tokenizer,
    maxLength,
    prompts: {},
    lowercase: false,
    ...(parameters.has(`${MLM_HEAD}.bias`) && { newMlmHead: true }),
  };
}

/**
 * Saves a model as a folder that nearmiss, sentence-transformers, Transformers and Transformers.js load. It
 * appears complete or not at all.
 */
export async function saveEncoderModel(
  folder: string,
  model: EncoderModel,
  options: SaveModelOptions & { overwrite?: boolean } = {},
): Promise<void> {
  await saveFolder(folder, (temporary) => fillEncoderFolder(temporary, model, options), options);
}

/** Writes a model's files into a folder that the caller makes appear, e.g. a checkpoint with more beside them. */
export async function fillEncoderFolder(
  folder: string,
  model: EncoderModel,
  { card, onnx, mlmHead: beside }: SaveModelOptions = {},
): Promise<void> {
  const { spec, parameters, tokenizer, maxLength, prompts, lowercase } = model;
  const head = describeHead(model);
  const sparse = parameters.has(`${MLM_HEAD}.bias`);
  const mlmHead = sparse ? mlmPart(parameters) : beside;
  const late = lateFormOf({ head, tokenizer, maxLength });
  const config = toHuggingFaceConfig(spec.config);
  const tensors = parameters.specs
    .filter(({ name }) => !isHeadName(name))
    .map(({ name, shape }) => ({ name, shape: [...shape], data: parameters.get(name) }));
  const saved: SavedModel = {
    ...nearestForm(),
    tokenizer,
    maxLength,
    async card() {
      // Not loaded with the file: who opens a model to search with it, writes no card.
      const { renderModelCard } = await import('../folder/model-card.js');
      return renderModelCard({
        name: model.name,
        dimension: sparse ? spec.config.vocabularySize : embeddingSize(spec),
        maxSequenceLength: maxLength,
        similarity: head.similarity,
        pooling: head.pooling,
        normalize: head.normalize,
        projection: head.dense !== undefined,
        dequantizedFrom: spec.config.dequantizedFrom,
        prompts,
        ...card,
      });
    },
    onnx: () => exportOnnx(spec, parameters, { ending: encoderEnding(spec, tokenizer, maxLength) }),
    writeMore(place) {
      const texts = { maxSequenceLength: maxLength, prompts, lowercase };
      if (late) return writeLateFiles(place, late, texts);
      if (sparse) {
        const plainQueries = isSided(spec.head) ? tokenizer : undefined;
        return writeSparseFiles(place, spec.config, { ...texts, plainQueries });
      }
      return writeSentenceTransformersFiles(place, { head, hiddenSize: spec.config.hiddenSize, ...texts });
    },
  };
  await fillFolder(folder, saved, { onnx });

  /** Config and tensors as the library has them that knows the whole model. */
  function nearestForm(): Pick<SavedModel, 'config' | 'tensors'> {
    if (late) return { config: lateConfig(config, late), tensors: lateTensors(tensors, spec.config, late) };
    if (!mlmHead) return { config, tensors };
    return { config: mlmConfig(spec.config), tensors: mlmTensors(tensors, mlmHead, spec.config) };
  }
}

function describeHead({ spec: { config, head }, parameters }: EncoderModel): HeadDescription {
  const { projection, pooling, poolingOptions, normalize } = head;
  return {
    pooling,
    ...(poolingOptions && { poolingOptions }),
    normalize,
    similarity: normalize ? 'cosine' : 'dot',
    ...(projection && {
      dense: {
        in: config.hiddenSize,
        out: projection.size,
        weight: parameters.get(HEAD_NAMES.denseWeight),
        ...(projection.bias !== false && { bias: parameters.get(HEAD_NAMES.denseBias) }),
      },
    }),
    ...(projection?.layerNorm && {
      layerNorm: {
        size: projection.size,
        weight: parameters.get(HEAD_NAMES.normWeight),
        bias: parameters.get(HEAD_NAMES.normBias),
        eps: HEAD_LAYER_NORM_EPS,
      },
    }),
  };
}

/** A model's own pooling, or another one with the options that its kind has. */
function poolingOf(stored: Pooling, { pooling, ...options }: HeadOptions): Pooling {
  if (pooling === undefined) {
    const { pooling: name, poolingOptions } = stored;
    return { pooling: name, ...(poolingOptions && { poolingOptions }) };
  }
  const shape = representations.get(pooling).options;
  if (Object.keys(shape).length === 0) return { pooling };
  return { pooling, poolingOptions: z.object(shape).parse(options) };
}

/** A model's own head; what others say in words about its tokens becomes numbers. */
function ownHead(head: HeadConfig, { tokenSettings, config }: ModelFolder, tokenizer: Tokenizer): HeadConfig {
  if (!tokenSettings) return head;
  const context = { tokenizer, maxPositions: maxInputLength(config) };
  return { ...head, poolingOptions: { ...resolveTokenSettings(tokenSettings, context) } };
}

/** A head whose pooling is said in words, as a model keeps it: names of tokens become their numbers. */
function resolveHead(head: HeadConfig, config: EncoderConfig, tokenizer: Tokenizer): HeadConfig {
  const { pooling, poolingOptions = {} } = head;
  const context = { tokenizer, maxPositions: maxInputLength(config) };
  const resolved = representations.get(pooling).resolve?.(poolingOptions, context);
  return resolved ? { ...head, poolingOptions: resolved } : head;
}

function headConfig(stored: HeadDescription, config: EncoderConfig, options: HeadOptions = {}): HeadConfig {
  const pooling = poolingOf(stored, options);
  const { projection: needed, terms } = representations.get(pooling.pooling);
  if (terms) return termsHead(pooling, needed, options);
  const size =
    options.projection ?? (options.layerNorm ? (stored.dense?.out ?? config.hiddenSize) : stored.dense?.out);
  const layerNorm = options.layerNorm ?? stored.layerNorm !== undefined;
  const bias = options.bias ?? (stored.dense === undefined || stored.dense.bias !== undefined);
  if (layerNorm && !size) {
    throw new NearmissError('head: a LayerNorm needs a projection before it, got projection false', {
      hint: 'set head.projection to a dimension, or head.layerNorm to false',
    });
  }
  return {
    ...pooling,
    ...(size && { projection: { size, layerNorm, ...(!bias && { bias: false }) } }),
    normalize: options.normalize ?? (stored.normalize || stored.similarity === 'cosine'),
  };
}

/** Weights of terms are as their kind makes them: nothing is scaled, and the projection is its own. */
function termsHead(pooling: Pooling, size: number | undefined, options: HeadOptions): HeadConfig {
  for (const name of ['projection', 'layerNorm', 'normalize'] as const) {
    if (!options[name] || options[name] === size) continue;
    throw new NearmissError(`head.${name}: ${pooling.pooling} makes weights of terms, got ${options[name]}`, {
      hint: `leave out model.head.${name}`,
    });
  }
  return { ...pooling, ...(size && { projection: { size, layerNorm: false } }), normalize: false };
}
