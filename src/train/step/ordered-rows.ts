import { type DenseTensor, type Graph, permuteRows, type Value } from '../../engine/index.js';
import type { EncoderConfig } from '../../model/encoder/config.js';
import { dropoutFeeds, type StepRandom } from '../../model/encoder/dropout.js';
import {
  type DropoutPlace,
  type EncoderGraph,
  encoderFeeds,
  textsDim,
} from '../../model/encoder/encoder-graph.js';
import { packBatch } from '../../model/encoder/packed-batch.js';
import type { TokenizedText } from '../../model/encoder/tokenized-texts.js';
import type { Representation } from '../../model/representation/representation.js';

export interface OrderedRowsOptions {
  config: EncoderConfig;
  representation: Representation;
  /** As of the graph that was built. */
  prefix: string;
  groups: number;
}

/** A model inside a step's graph that makes one row of each text, with its rows back in the order of the texts. */
export class OrderedRows {
  readonly #options: OrderedRowsOptions;
  readonly #dropoutPlaces: DropoutPlace[];
  readonly learned: Value[];
  readonly rows: Value;

  constructor(graph: Graph, encoder: EncoderGraph, options: OrderedRowsOptions) {
    const { prefix, groups } = options;
    const index = (name: string): Value => graph.input(prefix + name, [textsDim(prefix, groups)], 'int32');
    this.#options = options;
    this.#dropoutPlaces = encoder.dropoutPlaces;
    this.learned = encoder.learned;
    this.rows = permuteRows(encoder.embeddings, index('order'), index('inverse'));
  }

  feeds(texts: readonly TokenizedText[], random: StepRandom): Record<string, DenseTensor> {
    const { config, representation, prefix, groups } = this.#options;
    const { padTokenId, positionOffset } = config;
    const packed = packBatch(texts, { groups, representation, padTokenId, positionOffset });
    const rowOf = new Int32Array(texts.length);
    packed.order.forEach((text, row) => {
      rowOf[text] = row;
    });
    return {
      ...encoderFeeds(packed, prefix),
      ...dropoutFeeds(this.#dropoutPlaces, packed, random, prefix),
      [`${prefix}order`]: { shape: [texts.length], data: rowOf },
      [`${prefix}inverse`]: { shape: [texts.length], data: packed.order },
    };
  }
}
