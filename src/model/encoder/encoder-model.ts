import { NearmissError } from '../../base/errors.js';
import { ParameterStore } from '../../engine/index.js';
import type { Tokenizer } from '../../text/tokenizer.js';
import { loadTokenizer } from '../folder/load-tokenizer.js';
import type { ModelFolder } from '../folder/model-folder.js';
import { type OpenModel, openModel } from '../folder/source.js';
import type { HubOptions } from '../hub/hub.js';
import { MLM_HEAD } from '../mlm/mlm-head.js';
import { readMlmHead } from '../mlm/mlm-names.js';
import { representations } from '../representation/kinds.js';
import type { Side } from '../side.js';
import { checkRoom, checkSizes } from './check-sizes.js';
import type { EncoderConfig } from './config.js';
import { type EncoderSpec, encoderParameters, type HeadConfig } from './encoder-graph.js';
import { type HeadDescription, headTensors } from './head.js';
import { type HeadOptions, headConfig, ownHead, resolveHead } from './head-config.js';
import { isHeadName, mlmPart } from './head-parameters.js';
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
  /** Weights of its head that are new: its folder did not have them. */
  newHead?: ReadonlySet<string>;
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
    const filling = fillParameters(parameters, source, {
      chosen: head,
      seed: options.seed ?? 0,
      layers: config.layers,
    });
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
      newHead: await filling,
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
  { chosen, seed, layers }: { chosen: HeadConfig; seed: number; layers: number },
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
  const kind = representations.get(chosen.pooling);
  kind.start?.(parameters, missing);
  if (head.pooling === 'mean') kind.startFromMean?.(parameters, layers);
  return missing;
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
    newHead: new Set(parameters.names.filter(isHeadName)),
  };
}
