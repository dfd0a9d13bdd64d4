import {
  add,
  attention,
  compile,
  concat,
  type DenseTensor,
  Graph,
  matmul,
  productOf,
  reshape,
  type Session,
  type SessionOptions,
  type Value,
} from '../../engine/index.js';
import { joinHeads, splitHeads } from './heads.js';
import type { Seq2SeqShape, Seq2SeqSpec } from './network.js';
import { packSources, sourceFeeds } from './packed-sources.js';
import type { Seq2SeqWeights } from './seq2seq-model.js';
import { addNetwork, sourceInputs } from './training-graph.js';

const TEXTS = 'texts';
const COPIES = 'copies';
const PAST = 'past';
const KEYS = 'keys';
const COPY_KEY = 'copy key';

/** What has been read and written of a batch: keys and values of every layer, so that nothing is computed twice. */
export interface DecoderState {
  texts: number;
  /** Sequences that are written for each text. */
  copies: number;
  /** Tokens written so far, the one that starts included. */
  past: number;
  /** Of each layer's cross attention, [texts, heads, length, width], and the padding of sources. */
  cross: Record<string, DenseTensor>;
  /** Of each layer's self attention, [texts × copies, heads, past, width]. */
  self: Record<string, DenseTensor>;
  /** The texts that are read. */
  sources: readonly ArrayLike<number>[];
}

/** Writes token after token: reads the source once, and of what it wrote only the last token. */
export class Decoder {
  readonly shape: Seq2SeqShape;
  readonly #layers: number;
  readonly #heads: number;
  readonly #width: number;
  readonly #reader: Session;
  readonly #writer: Session;

  private constructor(
    spec: Seq2SeqSpec,
    sizes: { layers: number; heads: number; width: number },
    sessions: { reader: Session; writer: Session },
  ) {
    this.shape = spec.shape;
    this.#layers = sizes.layers;
    this.#heads = sizes.heads;
    this.#width = sizes.width;
    this.#reader = sessions.reader;
    this.#writer = sessions.writer;
  }

  static async create({ spec, parameters }: Seq2SeqWeights, session?: SessionOptions): Promise<Decoder> {
    const reading = readingGraph(spec);
    const writing = writingGraph(spec);
    const reader = await compile(reading.graph, { outputs: reading.outputs, parameters, session });
    const writer = await compile(writing.graph, { outputs: writing.outputs, parameters, session });
    const { decoderLayers: layers, heads, width } = writing.network;
    return new Decoder(spec, { layers, heads, width }, { reader, writer });
  }

  /** Reads texts of which each is to get `copies` sequences. */
  async read(sources: readonly ArrayLike<number>[], copies: number): Promise<DecoderState> {
    const packed = packSources(sources, this.shape);
    const feeds = sourceFeeds(packed);
    const cross = { ...(await this.#reader.run(feeds)), sourceBias: feeds.sourceBias };
    const rows = sources.length * copies;
    const self: Record<string, DenseTensor> = {};
    for (const name of cacheNames('self', this.#layers)) {
      self[name] = { shape: [rows, this.#heads, 0, this.#width], data: new Float32Array(0) };
    }
    return { texts: sources.length, copies, past: 0, cross, self, sources };
  }

  /** Takes the last token of every sequence; gives the logits of the next, [texts × copies, vocabulary]. */
  async write(state: DecoderState, ids: Int32Array): Promise<Float32Array> {
    const { texts, copies, past } = state;
    const rows = texts * copies;
    const keys = past + 1;
    const buckets = Int32Array.from({ length: keys }, (_, key) => this.shape.bucket(key - past, 'decoder'));
    const results = await this.#writer.run({
      ...state.cross,
      ...state.self,
      rowsOfTexts: { shape: [texts, copies], data: new Float32Array(rows) },
      targetIds: { shape: [rows], data: ids },
      targetPositions: {
        shape: [rows],
        data: new Int32Array(rows).fill(this.shape.positionOffset + past),
      },
      targetTypes: { shape: [rows], data: new Int32Array(rows) },
      targetBuckets: { shape: [1, keys], data: buckets },
      nothing: { shape: [1, 1, 1, keys], data: new Float32Array(keys) },
    });
    for (const name of cacheNames('self', this.#layers)) state.self[name] = results[`new ${name}`];
    state.past = keys;
    const logits = results.logits.data as Float32Array;
    if (results.copies) addCopies(logits, results.copies, state);
    return logits;
  }

  /** Lets sequence `i` go on from what sequence `from[i]` of the same text has written. */
  reorder(state: DecoderState, from: ArrayLike<number>): void {
    if (Array.from(from).every((row, i) => row === i)) return;
    for (const name of Object.keys(state.self)) {
      state.self[name] = takeRows(state.self[name], Array.from(from));
    }
  }

  /** Keeps only some texts, in the order given, with all of their sequences. */
  keep(state: DecoderState, texts: readonly number[]): void {
    const { copies } = state;
    const rows = texts.flatMap((text) => Array.from({ length: copies }, (_, copy) => text * copies + copy));
    for (const name of Object.keys(state.self)) state.self[name] = takeRows(state.self[name], rows);
    for (const name of Object.keys(state.cross)) state.cross[name] = takeRows(state.cross[name], texts);
    state.sources = texts.map((text) => state.sources[text]);
    state.texts = texts.length;
  }

  async release(): Promise<void> {
    await this.#reader.release();
    await this.#writer.release();
  }
}

/** Gives words what copying them adds to their probability: log(exp(written) + Σ exp(copied)), in place. */
function addCopies(logits: Float32Array, { data, shape }: DenseTensor, state: DecoderState): void {
  const { sources, copies } = state;
  const length = shape[2];
  const size = logits.length / (sources.length * copies);
  sources.forEach((source, text) => {
    for (let row = text * copies; row < (text + 1) * copies; row++) {
      for (let t = 0; t < source.length; t++) {
        const at = row * size + source[t];
        const [most, least] = [logits[at], Number(data[row * length + t])].sort((a, b) => b - a);
        logits[at] = most + Math.log1p(Math.exp(least - most));
      }
    }
  });
}

function takeRows({ shape, data }: DenseTensor, rows: readonly number[]): DenseTensor {
  const size = data.length / shape[0];
  const taken = new Float32Array(rows.length * size);
  rows.forEach((row, i) => {
    taken.set((data as Float32Array).subarray(row * size, (row + 1) * size), i * size);
  });
  return { shape: shape.with(0, rows.length), data: taken };
}

function cacheNames(kind: 'self' | 'cross', layers: number): string[] {
  return Array.from({ length: layers }, (_, layer) => [
    `${kind} key ${layer}`,
    `${kind} value ${layer}`,
  ]).flat();
}

/** Source → keys and values of every layer's cross attention. */
function readingGraph(spec: Seq2SeqSpec) {
  const graph = new Graph();
  const { network } = addNetwork(graph, spec);
  const source = sourceInputs(graph);
  const states = network.encode(source);
  const { heads, width } = network;
  const places = { texts: source.texts, length: source.length, heads, width };
  const outputs: Record<string, Value> = {};
  for (let layer = 0; layer < network.decoderLayers; layer++) {
    outputs[`cross key ${layer}`] = splitHeads(network.crossKey(layer, states), places);
    outputs[`cross value ${layer}`] = splitHeads(network.crossValue(layer, states), places);
  }
  if (spec.copies) {
    const keys = network.copyKey!(states);
    outputs[COPY_KEY] = reshape(keys, [source.texts, source.length, keys.shape[1]]);
  }
  return { graph, outputs };
}

/** The last token of every sequence, and what is known of all before it → the logits of the next. */
function writingGraph(spec: Seq2SeqSpec) {
  const graph = new Graph();
  const { network } = addNetwork(graph, spec);
  const { heads, width, scale } = network;
  const rows = productOf([TEXTS, COPIES]);
  const length = 'length';
  // Names the two factors of the rows, whose sizes are read off it.
  graph.input('rowsOfTexts', [TEXTS, COPIES]);
  const sourceBias = graph.input('sourceBias', [TEXTS, length]);
  const padding = reshape(sourceBias, [TEXTS, 1, 1, length]);
  const buckets = graph.input('targetBuckets', [1, KEYS], 'int32');
  const bias = network.distanceBias({ buckets }) ?? graph.input('nothing', [1, 1, 1, KEYS]);
  const list = (name: string): Value => graph.input(name, [rows], 'int32');
  const outputs: Record<string, Value> = {};
  const grown = (name: string, last: Value): Value => {
    const before = graph.input(name, [rows, heads, PAST, width]);
    const own = splitHeads(last, { texts: rows, length: 1, heads, width });
    outputs[`new ${name}`] = concat([before, own], { axis: 2, dim: KEYS });
    return outputs[`new ${name}`];
  };
  const { logits, copyQuery } = network.decode(
    { ids: list('targetIds'), positions: list('targetPositions'), types: list('targetTypes') },
    {
      self(layer, { query, key, value }) {
        const place = { texts: rows, length: 1, heads, width };
        const looked = {
          query: splitHeads(query, place),
          key: grown(`self key ${layer}`, key),
          value: grown(`self value ${layer}`, value),
          bias,
        };
        return joinHeads(attention(looked, { scale }), place);
      },
      // The sequences of a text are to its source what the tokens of one sequence are: queries at the same keys.
      cross(layer, query) {
        const place = { texts: TEXTS, length: COPIES, heads, width };
        const read = (name: string): Value => graph.input(name, [TEXTS, heads, length, width]);
        const looked = {
          query: splitHeads(query, place),
          key: read(`cross key ${layer}`),
          value: read(`cross value ${layer}`),
          bias: padding,
        };
        return joinHeads(attention(looked, { scale }), place);
      },
    },
  );
  if (copyQuery) {
    const [, hidden] = copyQuery.shape;
    const fit = matmul(
      reshape(copyQuery, [TEXTS, COPIES, hidden]),
      graph.input(COPY_KEY, [TEXTS, length, hidden]),
      { transposeB: true, alpha: Number(hidden) ** -0.5 },
    );
    outputs.copies = add(fit, reshape(sourceBias, [TEXTS, 1, length]));
  }
  return { graph, network, outputs: { ...outputs, logits } };
}
