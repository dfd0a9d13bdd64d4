import { NearmissError } from '../../base/errors.js';
import type { EncoderConfig } from '../encoder/config.js';
import type { Constant } from './constant.js';
import { attribute, type ExportGraph } from './export-graph.js';
import type { OnnxNode } from './onnx-file.js';
import { asLinear, type Linear, type Norm, type Operation, type Product, type Table } from './operation.js';

/** What `config.json` says that the graph must agree with. */
export type StatedForm = Pick<EncoderConfig, 'layers' | 'heads'>;

/** What an export holds of a BERT-like encoder. */
export interface FoundBert {
  /** The weights under the names that `BertModel.state_dict()` gives them. */
  weights: Map<string, Constant>;
  /** The states of the last layer. */
  states: Norm;
}

/**
 * Finds BERT in a graph by its form, because most exports lose its names: tables whose rows are summed and normalised,
 * then in each layer twice something that is added to the states and normalised again, first attention, then two
 * matrices with a GELU between them.
 */
export function findBert(graph: ExportGraph, stated: StatedForm): FoundBert {
  return new BertSearch(graph, stated).run();
}

/** Half of a layer: norm(states + product + bias). */
interface Half {
  states: Norm;
  product: Product;
  bias: Constant;
  norm: Norm;
}

class BertSearch {
  readonly #graph: ExportGraph;
  readonly #stated: StatedForm;
  readonly #weights = new Map<string, Constant>();
  readonly #norms: Norm[];
  readonly #halves: ReadonlyMap<Norm, Half>;

  constructor(graph: ExportGraph, stated: StatedForm) {
    this.#graph = graph;
    this.#stated = stated;
    const operations = new Set(graph.model.nodes.map(({ outputs }) => graph.operation(outputs[0])));
    this.#norms = [...operations].filter((operation) => operation.kind === 'norm');
    this.#halves = new Map(this.#norms.flatMap(asHalf).map((half) => [half.states, half]));
  }

  run(): FoundBert {
    const { layers } = this.#stated;
    let states = this.#embeddings();
    for (let layer = 0; layer < layers; layer++) {
      const attended = this.#attention(states, `encoder.layer.${layer}.attention`);
      states = this.#feedForward(attended, `encoder.layer.${layer}`);
    }
    const more = this.#halves.get(states);
    if (more) throw this.#misfit(more.norm.node, `the end of the ${layers} layers that config.json states`);
    return { weights: this.#weights, states };
  }

  #embeddings(): Norm {
    const norm = this.#norms.find(({ input }) => tablesOf(input).length > 0);
    const expected = 'the normalised sum (LayerNorm) of three tables: words, positions and types of tokens';
    const tables = norm ? tablesOf(norm.input).toSorted((a, b) => a.table.shape[0] - b.table.shape[0]) : [];
    if (!norm || tables.length !== 3) throw this.#misfit(norm?.node ?? this.#graph.model.nodes[0], expected);
    const words = tables.find(({ ids }) => this.#isInput(ids, 'input_ids')) ?? tables[2];
    // There are a few types of tokens at most, and always more positions.
    const [types, positions] = tables.filter((table) => table !== words);
    this.#weights.set('embeddings.word_embeddings.weight', words.table);
    this.#weights.set('embeddings.position_embeddings.weight', positions.table);
    this.#weights.set('embeddings.token_type_embeddings.weight', types.table);
    this.#keep(norm, 'embeddings.LayerNorm');
    return norm;
  }

  #attention(states: Norm, at: string): Norm {
    const half = this.#half(states, at);
    const attention = half.product.input;
    if (attention.kind !== 'attention') throw this.#misfit(attention.node, `${at}: softmax(Q·Kᵀ)·V`);
    this.#checkHeads(attention.node);
    for (const part of ['query', 'key', 'value'] as const) {
      this.#keep(this.#linear(attention[part], states, `${at}.self.${part}`), `${at}.self.${part}`);
    }
    return this.#keepHalf(half, `${at}.output`);
  }

  /** Weights are the same for any number of heads; fused attention tells it. */
  #checkHeads(node: OnnxNode): void {
    const { heads } = this.#stated;
    const found = attribute(node, 'num_heads', heads);
    if (found === heads) return;
    throw new NearmissError(
      `${this.#graph.model.path}: node "${node.name}" (${node.type}): expected ${heads} heads, as config.json states, got ${found}`,
      {
        hint: 'the export and config.json are not of the same model; correct num_attention_heads if it was made by hand',
      },
    );
  }

  #feedForward(states: Norm, at: string): Norm {
    const half = this.#half(states, `${at}.output`);
    const gelu = half.product.input;
    if (gelu.kind !== 'gelu') throw this.#misfit(gelu.node, `${at}.intermediate: a GELU`);
    const dense = `${at}.intermediate.dense`;
    this.#keep(this.#linear(gelu.input, states, dense), dense);
    return this.#keepHalf(half, `${at}.output`);
  }

  #half(states: Norm, at: string): Half {
    const half = this.#halves.get(states);
    if (half) return half;
    const reader = this.#graph.model.nodes.find(({ inputs }) =>
      inputs.some((input) => this.#graph.operation(input) === states),
    );
    throw this.#misfit(
      reader ?? states.node,
      `${at}: what is added to the states before it and normalised (LayerNorm)`,
    );
  }

  /** A matrix and a bias on these states. */
  #linear(operation: Operation, states: Norm, at: string): Linear {
    const linear = asLinear(operation);
    if (linear?.input === states) return linear;
    throw this.#misfit(
      linear?.input.node ?? operation.node,
      `${at}: a matrix and a bias on the states before it`,
    );
  }

  #keepHalf({ norm, product, bias }: Half, at: string): Norm {
    this.#keep({ weight: product.weight, bias }, `${at}.dense`);
    this.#keep(norm, `${at}.LayerNorm`);
    return norm;
  }

  #keep({ weight, bias }: Pick<Linear | Norm, 'weight' | 'bias'>, name: string): void {
    this.#weights.set(`${name}.weight`, weight);
    this.#weights.set(`${name}.bias`, bias);
  }

  #isInput(value: string, name: string): boolean {
    // Our own exports put the last token of a cut text back.
    const mended = this.#graph.maker(value, 'Where');
    const operation = this.#graph.operation(mended?.inputs[2] ?? value);
    return operation.kind === 'other' && operation.node === undefined && operation.value === name;
  }

  #misfit(node: OnnxNode | undefined, expected: string): NearmissError {
    const got = node ? `node "${node.name || node.outputs[0]}" (${node.type})` : 'an input of the model';
    return new NearmissError(
      `${this.#graph.model.path}: not a BERT-like encoder: expected ${expected}, got ${got}`,
      {
        hint:
          'nearmiss reads weights out of exports of BERT and RoBERTa in fp32, fp16 or int8, plain or optimised by ONNX ' +
          'Runtime; export the model anew with `optimum-cli export onnx`, or use its safetensors',
      },
    );
  }
}

function asHalf(norm: Norm): Half[] {
  const { input } = norm;
  if (input.kind !== 'sum' || input.terms.length !== 2 || input.constants.length !== 1) return [];
  const product = input.terms.find((term) => term.kind === 'product');
  const states = input.terms.find((term) => term.kind === 'norm');
  return product && states ? [{ states, product, bias: input.constants[0], norm }] : [];
}

/** The tables that a value is the sum of; none where it is anything else, too. */
function tablesOf(operation: Operation): Table[] {
  if (operation.kind !== 'sum' || operation.constants.length > 0) return [];
  const tables = operation.terms.filter((term) => term.kind === 'table');
  return tables.length === operation.terms.length ? tables : [];
}
