import {
  add,
  attention,
  concat,
  type Dim,
  embedding,
  first,
  gelu,
  layerNorm,
  linear,
  mul,
  type ParameterSpec,
  reshape,
  split,
  transpose,
  type Value,
} from '../../engine/index.js';
import type { EncoderConfig } from './config.js';

/** Factors of 0 or 1/(1−p) for one place of the network, or `undefined` to leave it as it is. */
export type DropoutSource = (place: string, shape: Value['shape'], rate: number) => Value | undefined;

/** One length group inside the graph: `texts` × `length` tokens, and the bias that hides its padding. */
export interface GroupValue {
  texts: string;
  length: string;
  /** [texts, length] */
  bias: Value;
}

function dense(name: string, out: number, into: number): ParameterSpec[] {
  return [
    { name: `${name}.weight`, shape: [out, into] },
    { name: `${name}.bias`, shape: [out] },
  ];
}

function norm(name: string, size: number): ParameterSpec[] {
  return [
    { name: `${name}.weight`, shape: [size] },
    { name: `${name}.bias`, shape: [size] },
  ];
}

/** The parameters of one layer, named as Hugging Face does below `at`. */
export function layerParameters(
  { hiddenSize, intermediateSize }: Pick<EncoderConfig, 'hiddenSize' | 'intermediateSize'>,
  at: string,
): ParameterSpec[] {
  return [
    ...dense(`${at}.attention.self.query`, hiddenSize, hiddenSize),
    ...dense(`${at}.attention.self.key`, hiddenSize, hiddenSize),
    ...dense(`${at}.attention.self.value`, hiddenSize, hiddenSize),
    ...dense(`${at}.attention.output.dense`, hiddenSize, hiddenSize),
    ...norm(`${at}.attention.output.LayerNorm`, hiddenSize),
    ...dense(`${at}.intermediate.dense`, intermediateSize, hiddenSize),
    ...dense(`${at}.output.dense`, hiddenSize, intermediateSize),
    ...norm(`${at}.output.LayerNorm`, hiddenSize),
  ];
}

/** The parameters of BERT and RoBERTa, with their Hugging Face names (which are the same for both). */
export function bertParameters(config: EncoderConfig): ParameterSpec[] {
  const { hiddenSize } = config;
  const layers = Array.from({ length: config.layers }, (_, layer) => `encoder.layer.${layer}`);
  return [
    { name: 'embeddings.word_embeddings.weight', shape: [config.vocabularySize, hiddenSize] },
    { name: 'embeddings.position_embeddings.weight', shape: [config.maxPositions, hiddenSize] },
    { name: 'embeddings.token_type_embeddings.weight', shape: [config.typeVocabularySize, hiddenSize] },
    ...norm('embeddings.LayerNorm', hiddenSize),
    ...layers.flatMap((at) => layerParameters(config, at)),
  ];
}

export interface BertInputs {
  /** [tokens]: the tokens of all groups, one group after another. */
  ids: Value;
  positions: Value;
  types: Value;
  groups: GroupValue[];
}

/** What the rows of a layer look at. */
export interface LayerSight {
  groups: readonly GroupValue[];
  /** For each group what is added to its logits, [texts, 1, 1 or length, length]. */
  biases: readonly Value[];
  /** Rows that are looked at, laid out like those that look. Default: the same. */
  keys?: Value;
}

/**
 * BERT's encoder (post-LayerNorm) over the tokens of all groups, as [tokens, hidden]. Everything but attention
 * works on one long list of tokens, so that a step's matrix products are few and large; attention alone looks
 * at each group in its padded form.
 */
export class BertGraph {
  readonly #config: EncoderConfig;
  readonly #parameter: (name: string) => Value;
  readonly #dropout: DropoutSource;

  constructor(options: {
    config: EncoderConfig;
    parameter: (name: string) => Value;
    dropout?: DropoutSource;
  }) {
    this.#config = options.config;
    this.#parameter = options.parameter;
    this.#dropout = options.dropout ?? (() => undefined);
  }

  /** Hidden states of the last layer, [tokens, hidden]. */
  hidden(inputs: BertInputs): Value {
    return this.layers(this.#embedded(inputs), inputs.groups);
  }

  /**
   * Hidden states of each text's first token in the last layer, [texts, hidden], for a single group and without a
   * gradient. The last layer looks at all tokens but computes nothing for the others: five sixths of it are saved.
   */
  firstHidden(inputs: BertInputs): Value {
    const [group] = inputs.groups;
    const { texts, length, bias } = group;
    const last = this.#config.layers - 1;
    const x = this.#layersTo(last, this.#embedded(inputs), inputs.groups);
    const at = `encoder.layer.${last}`;
    const firsts = first(reshape(x, [texts, length, this.#config.hiddenSize]), { axis: 1 });
    const heads = (part: string, from: Value, tokens: Dim): Value =>
      this.#heads(this.#dense(from, `${at}.attention.self.${part}`), texts, tokens);
    const query = heads('query', firsts, 1);
    const [key, value] = [heads('key', x, length), heads('value', x, length)];
    const context = attention(
      { query, key, value, bias: reshape(bias, [texts, 1, 1, length]) },
      { scale: this.#scale() },
    );
    return this.#output(this.#joinHeads(context, texts), firsts, at);
  }

  #embedded({ ids, positions, types }: BertInputs): Value {
    const table = (name: string): Value => this.#parameter(`embeddings.${name}_embeddings.weight`);
    const embedded = add(
      add(embedding(table('word'), ids), embedding(table('token_type'), types)),
      embedding(table('position'), positions),
    );
    return this.embed(embedded);
  }

  /**
   * LayerNorm and dropout over the summed embeddings.
   *
   * @param place the name of the dropout, where a graph has several
   */
  embed(summed: Value, place = 'embeddings'): Value {
    return this.#drop(place, this.#norm(summed, 'embeddings.LayerNorm'), this.#config.hiddenDropout);
  }

  layers(embedded: Value, groups: GroupValue[]): Value {
    return this.#layersTo(this.#config.layers, embedded, groups);
  }

  #layersTo(end: number, embedded: Value, groups: GroupValue[]): Value {
    const biases = groups.map(({ texts, length, bias }) => reshape(bias, [texts, 1, 1, length]));
    let x = embedded;
    for (let layer = 0; layer < end; layer++) x = this.layer(x, `encoder.layer.${layer}`, { groups, biases });
    return x;
  }

  /** One layer, its parameters below `at`. */
  layer(x: Value, at: string, sight: LayerSight): Value {
    return this.#output(this.#attend(x, at, sight), x, at);
  }

  /** What a layer does with the attended values: each row on its own. */
  #output(context: Value, x: Value, at: string): Value {
    const rate = this.#config.hiddenDropout;
    const attended = this.#dense(context, `${at}.attention.output.dense`);
    const middle = this.#norm(
      add(this.#drop(`${at}.attention.output`, attended, rate), x),
      `${at}.attention.output.LayerNorm`,
    );
    const inner = gelu(this.#dense(middle, `${at}.intermediate.dense`));
    const output = this.#dense(inner, `${at}.output.dense`);
    return this.#norm(add(this.#drop(`${at}.output`, output, rate), middle), `${at}.output.LayerNorm`);
  }

  #attend(x: Value, at: string, { groups, biases, keys = x }: LayerSight): Value {
    const { heads, attentionDropout } = this.#config;
    const sizes = groups.map(({ texts, length }) => `${texts}*${length}`);
    const projected = (part: string, from: Value): Value[] =>
      split(this.#dense(from, `${at}.attention.self.${part}`), { axis: 0, sizes }).map((tokens, g) => {
        const { texts, length } = groups[g];
        return this.#heads(tokens, texts, length);
      });
    const [query, key, value] = [projected('query', x), projected('key', keys), projected('value', keys)];
    const contexts = groups.map(({ texts, length }, g) => {
      const dropout = this.#dropout(
        `${at}.attention.self.${g}`,
        [texts, heads, length, length],
        attentionDropout,
      );
      const inputs = { query: query[g], key: key[g], value: value[g], bias: biases[g], dropout };
      return this.#joinHeads(attention(inputs, { scale: this.#scale() }), sizes[g]);
    });
    return concat(contexts, { axis: 0, dim: x.shape[0] });
  }

  /** [texts × length, hidden] → [texts, heads, length, width] */
  #heads(x: Value, texts: Dim, length: Dim): Value {
    const { hiddenSize, heads } = this.#config;
    return transpose(reshape(x, [texts, length, heads, hiddenSize / heads]), [0, 2, 1, 3]);
  }

  /** [texts, heads, length, width] → [rows, hidden] with rows = texts × length */
  #joinHeads(context: Value, rows: Dim): Value {
    return reshape(transpose(context, [0, 2, 1, 3]), [rows, this.#config.hiddenSize]);
  }

  #scale(): number {
    return 1 / Math.sqrt(this.#config.hiddenSize / this.#config.heads);
  }

  #dense(x: Value, name: string): Value {
    return linear(x, this.#parameter(`${name}.weight`), this.#parameter(`${name}.bias`));
  }

  #norm(x: Value, name: string): Value {
    const epsilon = this.#config.layerNormEps;
    return layerNorm(x, this.#parameter(`${name}.weight`), this.#parameter(`${name}.bias`), { epsilon });
  }

  #drop(place: string, x: Value, rate: number): Value {
    const factors = this.#dropout(place, x.shape, rate);
    return factors ? mul(x, factors) : x;
  }
}
