import {
  add,
  attention,
  embedding,
  geluTanh,
  linear,
  mul,
  type ParameterSpec,
  relu,
  reshape,
  rmsNorm,
  transpose,
  type Value,
} from '../../engine/index.js';
import { distanceBucket } from './distance-bucket.js';
import { joinHeads, splitHeads } from './heads.js';
import type {
  Decoded,
  DecoderAttention,
  Distances,
  NetworkOptions,
  Seq2SeqNetwork,
  Seq2SeqSpec,
  SourceValues,
  TargetValues,
} from './network.js';
import { type T5Config, toT5HuggingFaceConfig } from './t5-config.js';

const SHARED = 'shared.weight';
const OUTPUT = 'lm_head.weight';
const STACKS = ['encoder', 'decoder'];
const DISTANCES = 'SelfAttention.relative_attention_bias.weight';

/** T5 v1.0 and v1.1 (flan): pre-norm with RMSNorm, no biases, distances instead of positions, unscaled attention. */
export function t5Spec(config: T5Config): Seq2SeqSpec {
  const { padId, endId, startId, vocabularySize, buckets, maxDistance } = config;
  return {
    family: 't5',
    layers: config.layers,
    hasDropout: config.dropout > 0,
    shape: {
      vocabularySize,
      padId,
      endId,
      startId,
      positionOffset: 0,
      bucket: (distance, of) =>
        distanceBucket(distance, { buckets, maxDistance, bothWays: of === 'encoder' }),
    },
    parameters: () => t5Parameters(config),
    build: (options) => new T5Network(config, options),
    toConfig: () => toT5HuggingFaceConfig(config),
    stored: (name) => [name],
    repeated: (name) =>
      name === SHARED
        ? [...STACKS.map((stack) => `${stack}.embed_tokens.weight`), ...(config.tied ? [OUTPUT] : [])]
        : [],
  };
}

/** The parameters of a T5, with their Hugging Face names and in their order. */
function t5Parameters(config: T5Config): ParameterSpec[] {
  const { hiddenSize, heads, headWidth, innerSize } = config;
  const inner = heads * headWidth;
  const specs: ParameterSpec[] = [{ name: SHARED, shape: [config.vocabularySize, hiddenSize] }];
  const looks = (at: string, kind: string, distances: boolean): void => {
    for (const part of ['q', 'k', 'v']) {
      specs.push({ name: `${at}.${kind}.${part}.weight`, shape: [inner, hiddenSize] });
    }
    specs.push({ name: `${at}.${kind}.o.weight`, shape: [hiddenSize, inner] });
    if (distances) specs.push({ name: `${at}.${DISTANCES}`, shape: [config.buckets, heads] });
    specs.push({ name: `${at}.layer_norm.weight`, shape: [hiddenSize] });
  };
  const feedForward = (at: string): void => {
    const inputs = config.feedForward === 'relu' ? ['wi'] : ['wi_0', 'wi_1'];
    for (const part of inputs) {
      specs.push({ name: `${at}.DenseReluDense.${part}.weight`, shape: [innerSize, hiddenSize] });
    }
    specs.push({ name: `${at}.DenseReluDense.wo.weight`, shape: [hiddenSize, innerSize] });
    specs.push({ name: `${at}.layer_norm.weight`, shape: [hiddenSize] });
  };
  for (let layer = 0; layer < config.layers; layer++) {
    looks(`encoder.block.${layer}.layer.0`, 'SelfAttention', layer === 0);
    feedForward(`encoder.block.${layer}.layer.1`);
  }
  specs.push({ name: 'encoder.final_layer_norm.weight', shape: [hiddenSize] });
  for (let layer = 0; layer < config.decoderLayers; layer++) {
    looks(`decoder.block.${layer}.layer.0`, 'SelfAttention', layer === 0);
    looks(`decoder.block.${layer}.layer.1`, 'EncDecAttention', false);
    feedForward(`decoder.block.${layer}.layer.2`);
  }
  specs.push({ name: 'decoder.final_layer_norm.weight', shape: [hiddenSize] });
  if (!config.tied) specs.push({ name: OUTPUT, shape: [config.vocabularySize, hiddenSize] });
  return specs;
}

class T5Network implements Seq2SeqNetwork {
  readonly heads: number;
  readonly width: number;
  readonly decoderLayers: number;
  readonly scale = 1;
  readonly attentionDropout: number;
  readonly learned: Value[];
  readonly #config: T5Config;
  readonly #options: NetworkOptions;

  constructor(config: T5Config, options: NetworkOptions) {
    this.heads = config.heads;
    this.width = config.headWidth;
    this.decoderLayers = config.decoderLayers;
    this.attentionDropout = config.dropout;
    this.#config = config;
    this.#options = options;
    this.learned = t5Parameters(config).map(({ name }) => options.parameter(name));
  }

  encode({ texts, length, ids, bias, distances }: SourceValues): Value {
    const { heads, width } = this;
    const places = { texts, length, heads, width };
    const looking = add(this.#distanceBias('encoder', distances), reshape(bias, [texts, 1, 1, length]));
    let x = this.#drop('encoder.embeddings', embedding(this.#options.parameter(SHARED), ids));
    for (let layer = 0; layer < this.#config.layers; layer++) {
      const at = `encoder.block.${layer}`;
      const normed = this.#norm(x, `${at}.layer.0`);
      const [query, key, value] = ['q', 'k', 'v'].map((part) =>
        splitHeads(this.#linear(normed, `${at}.layer.0.SelfAttention.${part}`), places),
      );
      const dropout = this.#options.dropout(
        `${at}.attention`,
        [texts, heads, length, length],
        this.attentionDropout,
      );
      const context = attention({ query, key, value, bias: looking, dropout }, { scale: this.scale });
      x = this.#add(x, joinHeads(context, places), `${at}.layer.0.SelfAttention.o`);
      x = this.#feedForward(x, `${at}.layer.1`);
    }
    return this.#drop('encoder.final', this.#norm(x, 'encoder', 'final_layer_norm'));
  }

  crossKey(layer: number, states: Value): Value {
    return this.#linear(states, `decoder.block.${layer}.layer.1.EncDecAttention.k`);
  }

  crossValue(layer: number, states: Value): Value {
    return this.#linear(states, `decoder.block.${layer}.layer.1.EncDecAttention.v`);
  }

  distanceBias(distances: Distances): Value {
    return this.#distanceBias('decoder', distances);
  }

  decode({ ids }: TargetValues, looks: DecoderAttention): Decoded {
    const { parameter } = this.#options;
    let x = this.#drop('decoder.embeddings', embedding(parameter(SHARED), ids));
    for (let layer = 0; layer < this.decoderLayers; layer++) {
      const at = `decoder.block.${layer}`;
      const normed = this.#norm(x, `${at}.layer.0`);
      const [query, key, value] = ['q', 'k', 'v'].map((part) =>
        this.#linear(normed, `${at}.layer.0.SelfAttention.${part}`),
      );
      x = this.#add(x, looks.self(layer, { query, key, value }), `${at}.layer.0.SelfAttention.o`);
      const asked = this.#linear(this.#norm(x, `${at}.layer.1`), `${at}.layer.1.EncDecAttention.q`);
      x = this.#add(x, looks.cross(layer, asked), `${at}.layer.1.EncDecAttention.o`);
      x = this.#feedForward(x, `${at}.layer.2`);
    }
    const states = this.#drop('decoder.final', this.#norm(x, 'decoder', 'final_layer_norm'));
    if (!this.#config.tied) return { logits: linear(states, parameter(OUTPUT)) };
    return { logits: linear(mul(states, this.#config.hiddenSize ** -0.5), parameter(SHARED)) };
  }

  /** [queries, keys] places → [1, heads, queries, keys]: the first layer's table serves all layers of its stack. */
  #distanceBias(stack: string, { buckets }: Distances): Value {
    const [queries, keys] = buckets.shape;
    const table = this.#options.parameter(`${stack}.block.0.layer.0.${DISTANCES}`);
    return reshape(transpose(embedding(table, buckets), [2, 0, 1]), [1, this.heads, queries, keys]);
  }

  #feedForward(x: Value, at: string): Value {
    const normed = this.#norm(x, at);
    const product = (part: string): Value => this.#linear(normed, `${at}.DenseReluDense.${part}`);
    const inner =
      this.#config.feedForward === 'relu'
        ? relu(product('wi'))
        : mul(geluTanh(product('wi_0')), product('wi_1'));
    return this.#add(x, this.#drop(`${at}.inner`, inner), `${at}.DenseReluDense.wo`);
  }

  /** x + dropout(y·Wᵀ) */
  #add(x: Value, y: Value, name: string): Value {
    return add(x, this.#drop(name, this.#linear(y, name)));
  }

  #linear(x: Value, name: string): Value {
    return linear(x, this.#options.parameter(`${name}.weight`));
  }

  #norm(x: Value, at: string, name = 'layer_norm'): Value {
    return rmsNorm(x, this.#options.parameter(`${at}.${name}.weight`), { epsilon: this.#config.normEps });
  }

  #drop(place: string, x: Value): Value {
    const factors = this.#options.dropout(place, x.shape, this.#config.dropout);
    return factors ? mul(x, factors) : x;
  }
}
