import { decodeFloat16, encodeFloat16 } from '../../base/numbers/float16.js';
import type { EncoderModel } from '../encoder/encoder-model.js';
import { GraphWriter } from './graph-writer.fixture.js';
import { type QuantizedMatrix, quantizeMatrix } from './quantize.fixture.js';

/** How an exporter writes BERT. */
export interface ExportForm {
  /** Matrices: in floats with MatMul and Add, or one of the ways to multiply in 8 bits. */
  matrices:
    | 'float32'
    | 'float16'
    | 'Transpose'
    | 'MatMulInteger'
    | 'QDQ'
    | 'QDQ, Transpose'
    | 'DynamicQuantizeMatMul'
    | 'MatMulIntegerToFloat';
  tables: 'float32' | 'float16' | 'codes';
  norms: 'written out' | 'LayerNormalization' | 'SkipLayerNormalization';
  /** The sum of tables and its norm in one operator. */
  embeddings: 'plain' | 'fused';
  attention:
    | 'written out'
    | 'scaled before, masked by Where'
    | 'written out in 8 bits'
    | 'MultiHeadAttention'
    | 'MultiHeadAttention with biases'
    | 'Attention';
  /** `Relu` is not BERT. */
  activation: 'written out' | 'Gelu' | 'BiasGelu' | 'Relu';
  pooled: 'no' | 'first' | 'mean';
  /** int8 around zero, or uint8 with a zero point. */
  signed: boolean;
  perColumn: boolean;
  /** What stands before the names that are kept. */
  prefix?: string;
  /** A classifier's layers on the first token, as `BertForSequenceClassification` has them, instead of the states. */
  classifier?: { pooler: Float32Array; poolerBias: Float32Array; weight: Float32Array; bias: Float32Array };
  /** Weights in a file beside the model. */
  dataFile?: string;
}

export interface BertExport {
  model: Uint8Array;
  data: Uint8Array;
  /** What the export's weights are after whatever rounding it did, by parameter. */
  weights: Map<string, Float32Array>;
}

/** As PyTorch writes it. */
export const PLAIN: ExportForm = {
  matrices: 'float32',
  tables: 'float32',
  norms: 'written out',
  embeddings: 'plain',
  attention: 'written out',
  activation: 'written out',
  pooled: 'no',
  signed: true,
  perColumn: true,
};

export const DATA_FILE = 'model.onnx_data';
const INPUTS = ['input_ids', 'attention_mask', 'token_type_ids'];
const ACTIVATION_SCALE = 12 / 255;

/** A BERT encoder written in one of the many ways that exports are. */
export function exportBert(model: EncoderModel, form: ExportForm): BertExport {
  return new BertWriter(model, form).write();
}

class BertWriter {
  readonly #model: EncoderModel;
  readonly #form: ExportForm;
  readonly #graph: GraphWriter;
  readonly #weights = new Map<string, Float32Array>();

  constructor(model: EncoderModel, form: ExportForm) {
    this.#model = model;
    this.#form = form;
    this.#graph = new GraphWriter({ dataFile: form.dataFile });
  }

  write(): BertExport {
    const graph = this.#graph;
    let x = this.#embeddings();
    for (let layer = 0; layer < this.#model.spec.config.layers; layer++) {
      const at = `encoder.layer.${layer}`;
      const attended = this.#added(this.#attention(x, `${at}.attention.self`), x, `${at}.attention.output`);
      x = this.#added(this.#intermediate(attended, `${at}.intermediate.dense`), attended, `${at}.output`);
    }
    if (this.#form.classifier)
      return { ...graph.finish(INPUTS, [this.#classify(x)]), weights: this.#weights };
    graph.rename(x, 'last_hidden_state');
    const outputs = ['last_hidden_state', ...this.#pool(x)];
    return { ...graph.finish(INPUTS, outputs), weights: this.#weights };
  }

  #embeddings(): string {
    const graph = this.#graph;
    const names = ['word', 'position', 'token_type'].map((name) => `embeddings.${name}_embeddings.weight`);
    const norm = 'embeddings.LayerNorm';
    if (this.#form.embeddings === 'fused') return this.#fusedEmbeddings(names, norm);
    const ends = graph.node('Slice', [
      graph.node('Shape', ['input_ids']),
      ...[1, 2].map((i) => graph.integers(i)),
    ]);
    const length = this.#model.spec.config.maxPositions;
    const counted = graph.tensor(
      [1, length],
      BigInt64Array.from({ length }, (_, i) => BigInt(i)),
    );
    const positions = graph.node('Slice', [counted, graph.integers(0), ends, graph.integers(1)]);
    const [words, placed, types] = ['input_ids', positions, 'token_type_ids'].map((ids, i) =>
      this.#rows(names[i], ids),
    );
    return this.#norm(graph.node('Add', [graph.node('Add', [words, types]), placed]), norm);
  }

  #fusedEmbeddings(names: string[], norm: string): string {
    const graph = this.#graph;
    const [gamma, beta] = [`${norm}.weight`, `${norm}.bias`];
    const ids = ['input_ids', 'token_type_ids'].map((name) => graph.node('Cast', [name], { to: 6 }));
    const epsilon = { epsilon: { float: this.#model.spec.config.layerNormEps } };
    if (this.#form.tables !== 'codes') {
      const constants = [...names, gamma, beta].map((name) => this.#stored(name));
      return graph.node('com.microsoft.EmbedLayerNormalization', [...ids, ...constants], epsilon, 2);
    }
    const parts = [...names, gamma, beta].map((name) => {
      const { shape } = this.#model.parameters.tensor(name);
      const codes = this.#quantized(name, [shape.length === 2 ? shape[0] : 1, shape.at(-1)!], false);
      return { code: graph.tensor(shape, codes.codes), ...this.#scale(codes) };
    });
    const inputs = [
      ...ids,
      ...parts.map(({ code }) => code),
      '',
      ...parts.map(({ scale }) => scale),
      ...parts.map(({ zero }) => zero),
    ];
    return graph.node('com.microsoft.QEmbedLayerNormalization', inputs, epsilon, 2);
  }

  #rows(name: string, ids: string): string {
    const graph = this.#graph;
    if (this.#form.tables !== 'codes')
      return graph.node('Gather', [this.#stored(name, this.#form.tables), ids]);
    const [rows, width] = this.#model.parameters.tensor(name).shape;
    const codes = this.#quantized(name, [rows, width], false);
    const table = graph.tensor(codes.shape, codes.codes, `${this.#named(name)}_quantized`);
    const { scale, zero } = this.#scale(codes);
    return graph.node('DequantizeLinear', [graph.node('Gather', [table, ids]), scale, zero]);
  }

  #attention(x: string, at: string): string {
    const graph = this.#graph;
    const { attention } = this.#form;
    const { heads, hiddenSize } = this.#model.spec.config;
    const names = ['query', 'key', 'value'].map((part) => `${at}.${part}`);
    const attributes = { num_heads: heads };
    if (attention === 'Attention') return this.#packedAttention(x, names);
    const biased = attention !== 'MultiHeadAttention with biases';
    const projected = names.map((name) => this.#dense(x, name, biased));
    if (attention.startsWith('MultiHeadAttention')) {
      const padding = graph.node('Cast', ['attention_mask'], { to: 6 });
      const bias = biased ? '' : this.#side(names.map((name) => `${name}.bias`));
      return graph.node('com.microsoft.MultiHeadAttention', [...projected, bias, padding], attributes);
    }
    const width = hiddenSize / heads;
    const [query, key, value] = projected.map((part, i) => {
      const split = graph.node('Reshape', [part, graph.integers(0, 0, heads, width)]);
      return graph.node('Transpose', [split], { perm: i === 1 ? [0, 2, 3, 1] : [0, 2, 1, 3] });
    });
    const context = this.#context({ query, key, value, width });
    const joined = graph.node('Transpose', [context], { perm: [0, 2, 1, 3] });
    return graph.node('Reshape', [joined, graph.integers(0, 0, hiddenSize)]);
  }

  /** softmax(Q·Kᵀ / √d + mask)·V */
  #context({
    query,
    key,
    value,
    width,
  }: Record<'query' | 'key' | 'value', string> & { width: number }): string {
    const graph = this.#graph;
    const mask = graph.node('Cast', [graph.node('Unsqueeze', ['attention_mask', graph.integers(1, 2)])], {
      to: 1,
    });
    const hidden = graph.node('Mul', [graph.node('Sub', [graph.scalar(1), mask]), graph.scalar(-10000)]);
    const softmax = (x: string): string => graph.node('Softmax', [x], { axis: -1 });
    if (this.#form.attention === 'scaled before, masked by Where') {
      const root = graph.scalar(width ** -0.25);
      const scores = graph.node('MatMul', [graph.node('Mul', [query, root]), graph.node('Mul', [key, root])]);
      const seen = graph.node('Cast', [mask], { to: 9 });
      const shares = softmax(graph.node('Where', [seen, scores, graph.scalar(-10000)]));
      const safe = graph.node('Where', [graph.node('IsNaN', [shares]), graph.scalar(0), shares]);
      return graph.node('MatMul', [safe, value]);
    }
    const product = (a: string, b: string): string =>
      this.#form.attention === 'written out' ? graph.node('MatMul', [a, b]) : this.#integerProduct(a, b);
    const scores = graph.node('Div', [product(query, key), graph.scalar(Math.sqrt(width))]);
    return product(softmax(graph.node('Add', [scores, hidden])), value);
  }

  /** Of two values that are not constants. */
  #integerProduct(a: string, b: string): string {
    const graph = this.#graph;
    const [x, y] = [a, b].map((value) => graph.node('DynamicQuantizeLinear', [value], {}, 3));
    const scale = graph.node('Mul', [graph.output(x, 1), graph.output(y, 1)]);
    const product = graph.node('MatMulInteger', [x, y, graph.output(x, 2), graph.output(y, 2)]);
    return graph.node('Mul', [graph.node('Cast', [product], { to: 1 }), scale]);
  }

  #packedAttention(x: string, names: string[]): string {
    const graph = this.#graph;
    const { heads, hiddenSize } = this.#model.spec.config;
    const attributes = { num_heads: heads };
    const padding = graph.node('Cast', ['attention_mask'], { to: 6 });
    const bias = this.#side(names.map((name) => `${name}.bias`));
    const shape = [hiddenSize, 3 * hiddenSize] as const;
    const matrices = names.map((name) => transpose(this.#model.parameters.tensor(`${name}.weight`)));
    const packed = sideBySide(matrices, hiddenSize);
    if (['float32', 'float16', 'Transpose'].includes(this.#form.matrices)) {
      for (const name of names) this.#keep(`${name}.weight`);
      return graph.node(
        'com.microsoft.Attention',
        [x, graph.tensor(shape, packed), bias, padding],
        attributes,
      );
    }
    const codes = quantizeMatrix(packed, shape, this.#form);
    for (const [i, name] of names.entries()) {
      const part = codes.values.filter((_, at) => Math.floor((at % shape[1]) / hiddenSize) === i);
      this.#weights.set(`${name}.weight`, transpose({ shape: [hiddenSize, hiddenSize], data: part }));
    }
    const { scale, zero } = this.#scale(codes);
    const quantized = graph.node('DynamicQuantizeLinear', [x], {}, 3);
    const inputs = [
      quantized,
      graph.tensor(shape, codes.codes),
      bias,
      graph.output(quantized, 1),
      scale,
      padding,
    ];
    return graph.node('com.microsoft.QAttention', [...inputs, graph.output(quantized, 2), zero], attributes);
  }

  #intermediate(x: string, name: string): string {
    const graph = this.#graph;
    const { activation } = this.#form;
    if (activation === 'BiasGelu') {
      return graph.node('com.microsoft.BiasGelu', [
        this.#dense(x, name, false),
        this.#stored(`${name}.bias`),
      ]);
    }
    const y = this.#dense(x, name);
    if (activation === 'Gelu') return graph.node('com.microsoft.Gelu', [y]);
    if (activation === 'Relu') return graph.node('Relu', [y]);
    const erf = graph.node('Erf', [graph.node('Div', [y, graph.scalar(Math.SQRT2)])]);
    const gate = graph.node('Add', [erf, graph.scalar(1)]);
    return graph.node('Mul', [graph.node('Mul', [y, gate]), graph.scalar(0.5)]);
  }

  /** norm(x + dense(y)) */
  #added(y: string, x: string, at: string): string {
    const graph = this.#graph;
    const [dense, norm] = [`${at}.dense`, `${at}.LayerNorm`];
    if (this.#form.norms !== 'SkipLayerNormalization') {
      return this.#norm(graph.node('Add', [this.#dense(y, dense), x]), norm);
    }
    const constants = [`${norm}.weight`, `${norm}.bias`, `${dense}.bias`].map((name) => this.#stored(name));
    const epsilon = { epsilon: { float: this.#model.spec.config.layerNormEps } };
    const inputs = [this.#dense(y, dense, false), x, ...constants];
    return graph.node('com.microsoft.SkipLayerNormalization', inputs, epsilon);
  }

  #norm(x: string, name: string): string {
    const graph = this.#graph;
    const [weight, bias] = [this.#stored(`${name}.weight`), this.#stored(`${name}.bias`)];
    const epsilon = this.#model.spec.config.layerNormEps;
    if (this.#form.norms !== 'written out') {
      return graph.node('LayerNormalization', [x, weight, bias], { axis: -1, epsilon: { float: epsilon } });
    }
    const centred = graph.node('Sub', [x, graph.node('ReduceMean', [x], { axes: [-1] })]);
    const variance = graph.node('ReduceMean', [graph.node('Pow', [centred, graph.scalar(2)])], {
      axes: [-1],
    });
    const deviation = graph.node('Sqrt', [graph.node('Add', [variance, graph.scalar(epsilon)])]);
    return graph.node('Add', [graph.node('Mul', [graph.node('Div', [centred, deviation]), weight]), bias]);
  }

  #dense(x: string, name: string, biased = true): string {
    const product = this.#product(x, `${name}.weight`);
    return biased ? this.#graph.node('Add', [this.#stored(`${name}.bias`), product]) : product;
  }

  #product(x: string, name: string): string {
    const graph = this.#graph;
    const { matrices } = this.#form;
    const tensor = this.#model.parameters.tensor(name);
    const [out, into] = tensor.shape;
    const matrix = transpose(tensor);
    const shape = [into, out] as const;
    if (matrices === 'float32') {
      this.#keep(name);
      return graph.node('MatMul', [x, graph.tensor(shape, matrix)]);
    }
    if (matrices === 'float16') {
      this.#weights.set(name, rounded(tensor.data));
      return graph.node('MatMul', [x, graph.node('Cast', [graph.float16(shape, matrix)], { to: 1 })]);
    }
    if (matrices === 'Transpose') {
      return graph.node('MatMul', [x, graph.node('Transpose', [this.#stored(name)], { perm: [1, 0] })]);
    }
    if (matrices === 'QDQ, Transpose') return this.#transposedCodes(x, name);
    const codes = quantizeMatrix(matrix, shape, this.#form);
    this.#weights.set(name, transpose({ shape, data: codes.values }));
    const stored = graph.tensor(shape, codes.codes);
    const { scale, zero } = this.#scale(codes);
    if (matrices === 'QDQ') {
      const place = [graph.scalar(ACTIVATION_SCALE), graph.varints('uint8', [], [128])];
      const rough = graph.node('DequantizeLinear', [graph.node('QuantizeLinear', [x, ...place]), ...place]);
      return graph.node('MatMul', [
        rough,
        graph.node('DequantizeLinear', [stored, scale, zero], { axis: 1 }),
      ]);
    }
    if (matrices === 'DynamicQuantizeMatMul') {
      return graph.node('com.microsoft.DynamicQuantizeMatMul', [x, stored, scale, zero]);
    }
    const quantized = graph.node('DynamicQuantizeLinear', [x], {}, 3);
    const [xScale, xZero] = [graph.output(quantized, 1), graph.output(quantized, 2)];
    if (matrices === 'MatMulIntegerToFloat') {
      return graph.node('com.microsoft.MatMulIntegerToFloat', [
        quantized,
        stored,
        xScale,
        scale,
        xZero,
        zero,
      ]);
    }
    const product = graph.node('MatMulInteger', [quantized, stored, xZero, zero]);
    return graph.node('Mul', [graph.node('Cast', [product], { to: 1 }), graph.node('Mul', [xScale, scale])]);
  }

  /** Codes of [out, in], with a scale for each row, that are transposed once they are floats. */
  #transposedCodes(x: string, name: string): string {
    const graph = this.#graph;
    const { shape } = this.#model.parameters.tensor(name);
    const [out, into] = shape;
    const codes = quantizeMatrix(transpose(this.#model.parameters.tensor(name)), [into, out], this.#form);
    this.#weights.set(name, transpose({ shape: [into, out], data: codes.values }));
    const rows = codes.codes.map((_, i) => codes.codes[(i % into) * out + Math.floor(i / into)]);
    const { scale, zero } = this.#scale(codes);
    const floats = graph.node('DequantizeLinear', [graph.tensor(shape, rows), scale, zero], { axis: 0 });
    return graph.node('MatMul', [this.#rough(x), graph.node('Transpose', [floats], { perm: [1, 0] })]);
  }

  /** An activation rounded to 8 bits. */
  #rough(x: string): string {
    const graph = this.#graph;
    const place = [graph.scalar(ACTIVATION_SCALE), graph.varints('uint8', [], [128])];
    return graph.node('DequantizeLinear', [graph.node('QuantizeLinear', [x, ...place]), ...place]);
  }

  #pool(states: string): string[] {
    const graph = this.#graph;
    if (this.#form.pooled === 'no') return [];
    if (this.#form.pooled === 'first') {
      const index = graph.tensor([], BigInt64Array.of(0n));
      graph.rename(graph.node('Gather', [states, index], { axis: 1 }), 'sentence_embedding');
      return ['sentence_embedding'];
    }
    const mask = graph.node('Cast', [graph.node('Unsqueeze', ['attention_mask', graph.integers(-1)])], {
      to: 1,
    });
    const total = graph.node('ReduceSum', [graph.node('Mul', [states, mask]), graph.integers(1)], {
      keepdims: 0,
    });
    const count = graph.node('ReduceSum', [mask, graph.integers(1)], { keepdims: 0 });
    graph.rename(graph.node('Div', [total, count]), 'sentence_embedding');
    return ['sentence_embedding'];
  }

  #classify(states: string): string {
    const graph = this.#graph;
    const { prefix = '', classifier } = this.#form;
    const { pooler, poolerBias, weight, bias } = classifier!;
    const size = this.#model.spec.config.hiddenSize;
    const first = graph.node('Gather', [states, graph.tensor([], BigInt64Array.of(0n))], { axis: 1 });
    const matrix = graph.tensor([size, size], transpose({ shape: [size, size], data: pooler }));
    const offset = graph.tensor([size], poolerBias, `${prefix}pooler.dense.bias`);
    const pooled = graph.node('Tanh', [graph.node('Add', [offset, graph.node('MatMul', [first, matrix])])]);
    const layer = [
      graph.tensor([1, size], weight, 'classifier.weight'),
      graph.tensor([1], bias, 'classifier.bias'),
    ];
    graph.rename(graph.node('Gemm', [pooled, ...layer], { transB: 1 }), 'logits');
    return 'logits';
  }

  #stored(name: string, type: 'float32' | 'float16' = 'float32'): string {
    const { shape, data } = this.#model.parameters.tensor(name);
    if (type === 'float16') {
      this.#weights.set(name, rounded(data));
      return this.#graph.node('Cast', [this.#graph.float16(shape, data, this.#named(name))], { to: 1 });
    }
    this.#keep(name);
    return this.#graph.tensor(shape, data, this.#named(name));
  }

  /** Vectors one after another. */
  #side(names: string[]): string {
    for (const name of names) this.#keep(name);
    const all = names.flatMap((name) => [...this.#model.parameters.get(name)]);
    return this.#graph.tensor([all.length], Float32Array.from(all));
  }

  #named(name: string): string {
    return `${this.#form.prefix ?? ''}${name}`;
  }

  #keep(name: string): void {
    this.#weights.set(name, this.#model.parameters.get(name));
  }

  #quantized(name: string, shape: readonly [number, number], signed: boolean): QuantizedMatrix {
    const codes = quantizeMatrix(this.#model.parameters.get(name), shape, { signed, perColumn: false });
    this.#weights.set(name, codes.values);
    return codes;
  }

  #scale({ codes, scales, zeros }: QuantizedMatrix): { scale: string; zero: string } {
    const shape = scales.length === 1 ? [] : [scales.length];
    const type = codes instanceof Int8Array ? 'int8' : 'uint8';
    return { scale: this.#graph.tensor(shape, scales), zero: this.#graph.varints(type, shape, zeros) };
  }
}

function transpose({ shape, data }: { shape: readonly number[]; data: Float32Array }): Float32Array {
  const [rows, columns] = shape;
  return data.map((_, i) => data[(i % rows) * columns + Math.floor(i / rows)]);
}

/** Square matrices with their rows joined. */
function sideBySide(matrices: readonly Float32Array[], size: number): Float32Array {
  const rows = Array.from({ length: size }, (_, row) =>
    matrices.flatMap((matrix) => [...matrix.subarray(row * size, (row + 1) * size)]),
  );
  return Float32Array.from(rows.flat());
}

function rounded(values: Float32Array): Float32Array {
  const halves = new Uint16Array(values.length);
  encodeFloat16(values, halves);
  const result = new Float32Array(values.length);
  decodeFloat16(halves, result);
  return result;
}
