import { join } from 'node:path';
import { z } from 'zod';
import { NearmissError } from '../../base/errors.js';
import { exists } from '../../base/files.js';
import { readJsonFile } from '../../base/json-file.js';
import {
  type DenseLayer,
  HEAD_LAYER_NORM_EPS,
  type HeadDescription,
  type LayerNormLayer,
  type Similarity,
} from '../encoder/head.js';
import { type Pooling, representations } from '../representation/kinds.js';
import type { LateModules, PooledModules } from './modules-json.js';
import { openWeights } from './weights.js';

const SUPPORTED =
  'nearmiss reads single-vector encoders with first-token or mean pooling; choose another model';

/** What `config_sentence_transformers.json` and `sentence_bert_config.json` say about how to feed texts. */
export interface TextSettings {
  /** Longest input in tokens that the model was trained for. */
  maxSequenceLength?: number;
  /** Lowercase texts before the tokenizer sees them. */
  lowercase: boolean;
  /** Texts to put before inputs, by use, e.g. `{ query: 'query: ', document: 'passage: ' }`. */
  prompts: Record<string, string>;
}

/** Reads the head of a model with `modules.json`, weights included. */
export async function readModuleHead(
  folder: string,
  modules: PooledModules,
  hiddenSize: number,
): Promise<HeadDescription> {
  const pooling = await readPooling(join(folder, modules.Pooling, 'config.json'));
  const dense =
    modules.Dense === undefined ? undefined : await readDense(join(folder, modules.Dense), hiddenSize);
  const size = dense?.out ?? hiddenSize;
  const layerNorm =
    modules.LayerNorm === undefined ? undefined : await readLayerNorm(join(folder, modules.LayerNorm), size);
  return {
    ...pooling,
    ...(dense && { dense }),
    ...(layerNorm && { layerNorm }),
    normalize: modules.Normalize !== undefined,
    // Folders from before the field existed: sentence-transformers then compares by cosine, but the one family
    // with a LayerNorm, ANCE, was trained with the dot product.
    similarity: (await readSimilarity(folder)) ?? (layerNorm ? 'dot' : 'cosine'),
  };
}

/** Reads the head of a model whose rows are tokens: linear layers one after another are one, and rows have length 1. */
export async function readLateHead(
  folder: string,
  { projections }: LateModules,
  hiddenSize: number,
): Promise<HeadDescription> {
  let dense: DenseLayer | undefined;
  for (const place of projections) {
    const path = join(folder, place);
    dense = dense
      ? composed(dense, await readDense(path, dense.out, 'what the layer before it gives'))
      : await readDense(path, hiddenSize);
  }
  return { pooling: 'tokens', ...(dense && { dense }), normalize: true, similarity: 'cosine' };
}

/** The field of `1_Pooling/config.json` that names a pooling of nearmiss, or of a user's module. */
export const OWN_POOLING = 'nearmiss_pooling';

const MODES: Record<string, string> = {
  pooling_mode_cls_token: 'cls',
  pooling_mode_max_tokens: 'max',
  pooling_mode_mean_tokens: 'mean',
  pooling_mode_mean_sqrt_len_tokens: 'mean_sqrt_len_tokens',
  pooling_mode_weightedmean_tokens: 'weightedmean',
  pooling_mode_lasttoken: 'lasttoken',
};

const poolingSchema = z.looseObject({
  pooling_mode: z.union([z.string(), z.array(z.string())]).optional(),
  include_prompt: z.boolean().optional(),
  [OWN_POOLING]: z.looseObject({ name: z.string() }).optional(),
});

function ownPooling(path: string, { name, ...poolingOptions }: { name: string }): Pooling {
  if (representations.find(name)) return { pooling: name, poolingOptions };
  throw new NearmissError(`${path}: field "${OWN_POOLING}": no pooling is called "${name}" here`, {
    hint: 'name the module that registers it: --module FILE, or use: in the recipe',
  });
}

/** Reads `1_Pooling/config.json`, in the old form (one flag a mode) or the new (`pooling_mode`). */
export async function readPooling(path: string): Promise<Pooling> {
  const config = await readJsonFile(path, poolingSchema);
  const own = config[OWN_POOLING];
  if (own) return ownPooling(path, own);
  const flagged = Object.keys(MODES).filter((flag) => config[flag] === true);
  const modes =
    config.pooling_mode === undefined ? flagged.map((flag) => MODES[flag]) : [config.pooling_mode].flat();
  if (config.include_prompt === false) {
    throw new NearmissError(`${path}: field "include_prompt": expected true, got false`, { hint: SUPPORTED });
  }
  if (modes.length === 1 && modes[0] === 'cls') return { pooling: 'first' };
  if (modes.length === 0 || (modes.length === 1 && modes[0] === 'mean')) return { pooling: 'mean' };
  throw new NearmissError(`${path}: pooling mode: expected cls or mean, got ${modes.join(' + ')}`, {
    hint: SUPPORTED,
  });
}

const denseSchema = z.looseObject({
  in_features: z.int().min(1),
  out_features: z.int().min(1),
  bias: z.boolean().default(true),
  // What sentence-transformers takes where the field is missing.
  activation_function: z.string().default('torch.nn.modules.activation.Tanh'),
  // PyLate adds what went in to what comes out.
  use_residual: z.boolean().default(false),
});

async function readDense(
  folder: string,
  size: number,
  what = "the encoder's hidden size",
): Promise<DenseLayer> {
  const path = join(folder, 'config.json');
  const config = await readJsonFile(path, denseSchema);
  if (!config.activation_function.endsWith('.Identity')) {
    throw new NearmissError(
      `${path}: field "activation_function": expected torch.nn.modules.linear.Identity, got ${config.activation_function}`,
      { hint: SUPPORTED },
    );
  }
  if (config.in_features !== size) {
    throw new NearmissError(
      `${path}: field "in_features": expected ${size} (${what}), got ${config.in_features}`,
      { hint: 'the modules are not of the same model' },
    );
  }
  const { in_features: into, out_features: out } = config;
  const weights = await openWeights(folder);
  try {
    const weight = await weights.read('linear.weight', [out, into]);
    const bias = config.bias ? await weights.read('linear.bias', [out]) : undefined;
    if (config.use_residual) {
      const residual = into === out ? undefined : await weights.read('residual.weight', [out, into]);
      for (let i = 0; i < weight.length; i++) {
        weight[i] += residual ? residual[i] : Number(i % into === Math.floor(i / into));
      }
    }
    return { in: into, out, weight, ...(bias && { bias }) };
  } finally {
    await weights.close();
  }
}

/** Two linear layers as one: W₂·(W₁·x + b₁) + b₂. */
function composed(first: DenseLayer, second: DenseLayer): DenseLayer {
  const weight = new Float32Array(second.out * first.in);
  const bias = first.bias || second.bias ? new Float32Array(second.out) : undefined;
  for (let row = 0; row < second.out; row++) {
    const factors = second.weight.subarray(row * second.in, (row + 1) * second.in);
    const sums = new Float64Array(first.in);
    let constant = second.bias?.[row] ?? 0;
    factors.forEach((factor, middle) => {
      for (let i = 0; i < first.in; i++) sums[i] += factor * first.weight[middle * first.in + i];
      constant += factor * (first.bias?.[middle] ?? 0);
    });
    weight.set(sums, row * first.in);
    if (bias) bias[row] = constant;
  }
  return { in: first.in, out: second.out, weight, ...(bias && { bias }) };
}

async function readLayerNorm(folder: string, expectedSize: number): Promise<LayerNormLayer> {
  const path = join(folder, 'config.json');
  const { dimension: size } = await readJsonFile(path, z.looseObject({ dimension: z.int().min(1) }));
  if (size !== expectedSize) {
    throw new NearmissError(`${path}: field "dimension": expected ${expectedSize}, got ${size}`, {
      hint: 'the modules are not of the same model',
    });
  }
  const weights = await openWeights(folder);
  try {
    const weight = await weights.read('norm.weight', [size]);
    return { size, weight, bias: await weights.read('norm.bias', [size]), eps: HEAD_LAYER_NORM_EPS };
  } finally {
    await weights.close();
  }
}

const modelConfigSchema = z.looseObject({
  similarity_fn_name: z.string().nullish(),
  prompts: z.record(z.string(), z.string()).nullish(),
});

async function readModelConfig(folder: string): Promise<z.infer<typeof modelConfigSchema>> {
  const path = join(folder, 'config_sentence_transformers.json');
  return (await exists(path)) ? readJsonFile(path, modelConfigSchema) : {};
}

async function readSimilarity(folder: string): Promise<Similarity | undefined> {
  const { similarity_fn_name: name } = await readModelConfig(folder);
  if (name === undefined || name === null) return undefined;
  if (name === 'dot' || name === 'dot_score') return 'dot';
  if (name === 'cosine' || name === 'cos_sim') return 'cosine';
  throw new NearmissError(
    `${join(folder, 'config_sentence_transformers.json')}: field "similarity_fn_name": expected dot or cosine, got "${name}"`,
    { hint: SUPPORTED },
  );
}

/** Older versions named the file after the architecture. */
const TRANSFORMER_CONFIGS = ['bert', 'roberta', 'xlm-roberta', 'camembert'].map(
  (kind) => `sentence_${kind}_config.json`,
);

const transformerConfigSchema = z.looseObject({
  max_seq_length: z.int().min(1).nullish(),
  do_lower_case: z.boolean().nullish(),
});

/** Above this, `model_max_length` is the tokenizers' way of saying "no limit". */
const NO_LIMIT = 1e9;
const tokenizerConfigSchema = z.looseObject({ model_max_length: z.number().nullish() });

/** Reads how a model wants its texts; a folder without these files gives the defaults. */
export async function readTextSettings(folder: string, transformerFolder = ''): Promise<TextSettings> {
  const root = join(folder, transformerFolder);
  const { prompts } = await readModelConfig(folder);
  const stated = await readFirst(root, TRANSFORMER_CONFIGS, transformerConfigSchema);
  const tokenizer = await readFirst(root, ['tokenizer_config.json'], tokenizerConfigSchema);
  const limit = stated?.max_seq_length ?? tokenizer?.model_max_length;
  return {
    ...(limit && limit < NO_LIMIT && { maxSequenceLength: limit }),
    lowercase: stated?.do_lower_case ?? false,
    prompts: prompts ?? {},
  };
}

async function readFirst<T>(folder: string, names: string[], schema: z.ZodType<T>): Promise<T | undefined> {
  for (const name of names) {
    const path = join(folder, name);
    if (await exists(path)) return readJsonFile(path, schema);
  }
  return undefined;
}
