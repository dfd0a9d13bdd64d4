import { z } from 'zod';
import { NearmissError } from '../../base/errors.js';
import type { Tokenizer } from '../../text/tokenizer.js';
import type { ModelFolder } from '../folder/model-folder.js';
import { resolveTokenSettings } from '../folder/token-settings.js';
import { type Pooling, representations } from '../representation/kinds.js';
import { type EncoderConfig, maxInputLength } from './config.js';
import type { HeadConfig } from './encoder-graph.js';
import type { HeadDescription } from './head.js';

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
export function ownHead(
  head: HeadConfig,
  { tokenSettings, config }: ModelFolder,
  tokenizer: Tokenizer,
): HeadConfig {
  if (!tokenSettings) return head;
  const context = { tokenizer, maxPositions: maxInputLength(config) };
  return { ...head, poolingOptions: { ...resolveTokenSettings(tokenSettings, context) } };
}

/** A head whose pooling is said in words, as a model keeps it: names of tokens become their numbers. */
export function resolveHead(head: HeadConfig, config: EncoderConfig, tokenizer: Tokenizer): HeadConfig {
  const { pooling, poolingOptions = {} } = head;
  const context = { tokenizer, maxPositions: maxInputLength(config) };
  const resolved = representations.get(pooling).resolve?.(poolingOptions, context);
  return resolved ? { ...head, poolingOptions: resolved } : head;
}

/** What a head is that a model has, with the changes that are asked for. */
export function headConfig(
  stored: HeadDescription,
  config: EncoderConfig,
  options: HeadOptions = {},
): HeadConfig {
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
