import { type DenseTensor, type Graph, permuteRows, type Value } from '../../engine/index.js';
import type { EncoderConfig } from '../../model/encoder/config.js';
import { dropoutFeeds, type StepRandom } from '../../model/encoder/dropout.js';
import { type EncoderGraph, encoderFeeds, rowsDim } from '../../model/encoder/encoder-graph.js';
import { packBatch } from '../../model/encoder/packed-batch.js';
import type { DropoutPlace } from '../../model/encoder/states-graph.js';
import type { TokenizedText } from '../../model/encoder/tokenized-texts.js';
import { type Representation, readAs, rowOffsets } from '../../model/representation/representation.js';

export interface OrderedRowsOptions {
  config: EncoderConfig;
  representation: Representation;
  /** Prefix of the inputs of the graph that was built. */
  prefix: string;
  groups: number;
}

/** A model inside a step's graph that makes rows of texts, with the rows back in the order of the texts. */
export class OrderedRows {
  readonly #options: OrderedRowsOptions;
  readonly #dropoutPlaces: DropoutPlace[];
  readonly learned: Value[];
  readonly rows: Value;

  constructor(graph: Graph, encoder: EncoderGraph, options: OrderedRowsOptions) {
    const { representation, prefix, groups } = options;
    const dim = rowsDim(representation, prefix, groups);
    const index = (name: string): Value => graph.input(prefix + name, [dim], 'int32');
    this.#options = options;
    this.#dropoutPlaces = encoder.dropoutPlaces;
    this.learned = encoder.learned;
    this.rows = permuteRows(encoder.embeddings, index('order'), index('inverse'));
  }

  /** A text as the model reads it: what its length and its rows are counted by. */
  read(text: TokenizedText): TokenizedText {
    return readAs(this.#options.representation, text);
  }

  /** The rows of text `i` are `offsets[i] … offsets[i + 1] - 1`. */
  offsets(texts: readonly TokenizedText[]): Uint32Array {
    const read = texts.map((text) => this.read(text));
    return rowOffsets(this.#options.representation, read);
  }

  feeds(given: readonly TokenizedText[], random: StepRandom): Record<string, DenseTensor> {
    const { config, representation, prefix, groups } = this.#options;
    const { padTokenId, positionOffset } = config;
    const texts = given.map((text) => this.read(text));
    const packed = packBatch(texts, { groups, representation, padTokenId, positionOffset });
    const offsets = rowOffsets(representation, texts);
    const count = offsets[texts.length];
    const [order, inverse] = [new Int32Array(count), new Int32Array(count)];
    packed.order.forEach((text, place) => {
      const first = packed.rowOffsets[place];
      for (let row = first; row < packed.rowOffsets[place + 1]; row++) {
        inverse[row] = offsets[text] + row - first;
        order[inverse[row]] = row;
      }
    });
    return {
      ...encoderFeeds(packed, prefix),
      ...dropoutFeeds(this.#dropoutPlaces, packed, random, prefix),
      [`${prefix}order`]: { shape: [count], data: order },
      [`${prefix}inverse`]: { shape: [count], data: inverse },
    };
  }
}
