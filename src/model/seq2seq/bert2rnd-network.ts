import {
  add,
  embedding,
  gelu,
  layerNorm,
  linear,
  mul,
  type ParameterSpec,
  type Value,
} from '../../engine/index.js';
import { BertGraph, bertParameters } from '../encoder/bert.js';
import { maxInputLength } from '../encoder/config.js';
import { mlmHeadParameters, mlmLogits } from '../mlm/mlm-head.js';
import { type Bert2RndConfig, toBert2RndHuggingFaceConfig } from './bert2rnd-config.js';
import type {
  Decoded,
  DecoderAttention,
  NetworkOptions,
  Seq2SeqNetwork,
  Seq2SeqSpec,
  SourceValues,
  TargetValues,
} from './network.js';

/** The one table of words: of the encoder, of the decoder, and of the output. */
export const WORDS = 'encoder.embeddings.word_embeddings.weight';
const DECODER = 'decoder.bert';
const HEAD = 'decoder.cls.predictions';
const COPY = 'copy';

/**
 * An encoder of the BERT family with decoder layers of its kind on top, which look at its states, too (Rothe et al. 2020,
 * arXiv:1907.12461), under the names of Transformers' `EncoderDecoderModel`. Where it copies, every token of the source is
 * one more thing that may come next, by how its state fits the decoder's (Gu et al. 2016, arXiv:1603.06393).
 */
export function bert2RndSpec(config: Bert2RndConfig): Seq2SeqSpec {
  const { encoder, startId, endId, maxTarget } = config;
  return {
    family: 'bert2rnd',
    layers: encoder.layers,
    copies: config.copy,
    hasDropout: encoder.hiddenDropout > 0 || encoder.attentionDropout > 0,
    shape: {
      vocabularySize: encoder.vocabularySize,
      padId: encoder.padTokenId,
      startId,
      endId,
      positionOffset: encoder.positionOffset,
      maxSource: maxInputLength(encoder),
      maxTarget: maxTarget - encoder.positionOffset,
      bucket: () => 0,
    },
    parameters: () => bert2RndParameters(config),
    build: (options) => new Bert2RndNetwork(config, options),
    toConfig: () => toBert2RndHuggingFaceConfig(config),
    // Transformers ties the output to the decoder's table, but not the decoder's table to the encoder's.
    stored: (name) => (name === WORDS ? [name, `${DECODER}.embeddings.word_embeddings.weight`] : [name]),
  };
}

function bert2RndParameters({ encoder, decoderLayers, maxTarget, copy }: Bert2RndConfig): ParameterSpec[] {
  const specs = bertParameters(encoder).map(({ name, shape }) => ({ name: `encoder.${name}`, shape }));
  const decoder = bertParameters({ ...encoder, layers: decoderLayers, maxPositions: maxTarget });
  for (const { name, shape } of decoder) {
    if (name === 'embeddings.word_embeddings.weight') continue;
    specs.push({ name: `${DECODER}.${name}`, shape });
    // Cross attention has the same parts as self attention, and stands behind it.
    if (!/\.attention\./.test(name)) continue;
    specs.push({ name: `${DECODER}.${name.replace('.attention.', '.crossattention.')}`, shape });
  }
  specs.push(...mlmHeadParameters(encoder, HEAD));
  const { hiddenSize } = encoder;
  for (const part of copy ? ['query', 'key'] : []) {
    specs.push({ name: `${COPY}.${part}.weight`, shape: [hiddenSize, hiddenSize] });
    specs.push({ name: `${COPY}.${part}.bias`, shape: [hiddenSize] });
  }
  return specs;
}

class Bert2RndNetwork implements Seq2SeqNetwork {
  readonly heads: number;
  readonly width: number;
  readonly decoderLayers: number;
  readonly scale: number;
  readonly attentionDropout: number;
  readonly learned: Value[];
  readonly #config: Bert2RndConfig;
  readonly #options: NetworkOptions;

  constructor(config: Bert2RndConfig, options: NetworkOptions) {
    const { heads, hiddenSize, attentionDropout } = config.encoder;
    this.heads = heads;
    this.width = hiddenSize / heads;
    this.decoderLayers = config.decoderLayers;
    this.scale = 1 / Math.sqrt(this.width);
    this.attentionDropout = attentionDropout;
    this.#config = config;
    this.#options = options;
    // A key's bias adds the same to all logits of a query: its gradient is exactly 0 (see encoder-graph.ts).
    this.learned = bert2RndParameters(config)
      .filter(({ name }) => !name.endsWith('.self.key.bias'))
      .map(({ name }) => options.parameter(name));
  }

  encode({ ids, positions, types, texts, length, bias }: SourceValues): Value {
    const { parameter, dropout } = this.#options;
    const bert = new BertGraph({
      config: this.#config.encoder,
      parameter: (name) => parameter(`encoder.${name}`),
      dropout: (place, shape, rate) => dropout(`encoder.${place}`, shape, rate),
    });
    return bert.hidden({ ids, positions, types, groups: [{ texts, length, bias }] });
  }

  crossKey(layer: number, states: Value): Value {
    return this.#dense(states, `${DECODER}.encoder.layer.${layer}.crossattention.self.key`);
  }

  crossValue(layer: number, states: Value): Value {
    return this.#dense(states, `${DECODER}.encoder.layer.${layer}.crossattention.self.value`);
  }

  distanceBias(): undefined {
    return undefined;
  }

  copyKey(states: Value): Value {
    return this.#dense(states, `${COPY}.key`);
  }

  decode(target: TargetValues, looks: DecoderAttention): Decoded {
    let x = this.#embed(target);
    for (let layer = 0; layer < this.decoderLayers; layer++) {
      const at = `${DECODER}.encoder.layer.${layer}`;
      const [query, key, value] = ['query', 'key', 'value'].map((part) =>
        this.#dense(x, `${at}.attention.self.${part}`),
      );
      x = this.#output(looks.self(layer, { query, key, value }), x, `${at}.attention.output`);
      const asked = this.#dense(x, `${at}.crossattention.self.query`);
      x = this.#output(looks.cross(layer, asked), x, `${at}.crossattention.output`);
      x = this.#output(gelu(this.#dense(x, `${at}.intermediate.dense`)), x, `${at}.output`);
    }
    const { parameter } = this.#options;
    return {
      logits: mlmLogits(x, { config: this.#config.encoder, parameter, at: HEAD, words: WORDS }),
      ...(this.#config.copy && { copyQuery: this.#dense(x, `${COPY}.query`) }),
    };
  }

  #embed({ ids, positions, types }: TargetValues): Value {
    const { parameter } = this.#options;
    const at = `${DECODER}.embeddings`;
    const placed = add(
      embedding(parameter(WORDS), ids),
      embedding(parameter(`${at}.position_embeddings.weight`), positions),
    );
    const type = embedding(parameter(`${at}.token_type_embeddings.weight`), types);
    return this.#drop(at, this.#norm(add(placed, type), at), this.#config.encoder.hiddenDropout);
  }

  #output(inner: Value, x: Value, at: string): Value {
    const { hiddenDropout } = this.#config.encoder;
    return this.#norm(add(this.#drop(at, this.#dense(inner, `${at}.dense`), hiddenDropout), x), at);
  }

  #dense(x: Value, name: string): Value {
    const { parameter } = this.#options;
    return linear(x, parameter(`${name}.weight`), parameter(`${name}.bias`));
  }

  #norm(x: Value, at: string): Value {
    const { parameter } = this.#options;
    const epsilon = this.#config.encoder.layerNormEps;
    const name = `${at}.LayerNorm`;
    return layerNorm(x, parameter(`${name}.weight`), parameter(`${name}.bias`), { epsilon });
  }

  #drop(place: string, x: Value, rate: number): Value {
    const factors = this.#options.dropout(place, x.shape, rate);
    return factors ? mul(x, factors) : x;
  }
}
