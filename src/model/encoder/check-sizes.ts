import { NearmissError } from '../../base/errors.js';
import { sizeOf } from '../../engine/shape.js';
import type { Weights } from '../folder/weights.js';
import { bertParameters } from './bert.js';
import type { EncoderConfig } from './config.js';

/** Where the weights say how large a model is: field of `config.json`, tensor, axis. */
const SIZES = [
  ['hidden_size', 'hiddenSize', 'embeddings.word_embeddings.weight', 1],
  ['vocab_size', 'vocabularySize', 'embeddings.word_embeddings.weight', 0],
  ['max_position_embeddings', 'maxPositions', 'embeddings.position_embeddings.weight', 0],
  ['type_vocab_size', 'typeVocabularySize', 'embeddings.token_type_embeddings.weight', 0],
  ['intermediate_size', 'intermediateSize', 'encoder.layer.0.intermediate.dense.weight', 0],
] as const;

const LAYER = /^encoder\.layer\.(\d+)\./;

/**
 * Refuses a config that asks for more than the weights have, before room is made for it: a size may be any number.
 * Where it asks for less, a tensor's shape tells when it is read.
 */
export function checkSizes({
  config,
  weights,
  folder,
}: {
  config: EncoderConfig;
  weights: Weights;
  folder: string;
}): void {
  const refuse = (field: string, expected: string, got: number): NearmissError =>
    new NearmissError(`${folder}: config.json: field "${field}": expected ${expected}, got ${got}`, {
      hint: 'the weights and config.json are not of the same model: take both from one place',
    });
  for (const [field, size, tensor, axis] of SIZES) {
    const stored = weights.shape(tensor)[axis];
    if (config[size] > stored) throw refuse(field, `${stored}, as in tensor "${tensor}"`, config[size]);
  }
  const layers = new Set(weights.names.flatMap((name) => LAYER.exec(name)?.[1] ?? [])).size;
  if (config.layers > layers) {
    throw refuse('num_hidden_layers', `at most ${layers}, which the weights have`, config.layers);
  }
}

/** Eight gigabytes of weights; training needs four times as much. */
const MOST_PARAMETERS = 2 ** 31;

/** Refuses sizes for which no machine of ours has room, before it is asked for. */
export function checkRoom(config: EncoderConfig): void {
  const [without, withOne] = [0, 1].map((layers) =>
    bertParameters({ ...config, layers }).reduce((sum, { shape }) => sum + sizeOf(shape), 0),
  );
  const parameters = without + config.layers * (withOne - without);
  if (parameters <= MOST_PARAMETERS) return;
  const { layers, hiddenSize, vocabularySize } = config;
  throw new NearmissError(
    `model: expected at most ${MOST_PARAMETERS} parameters, got ${parameters} by layers ${layers}, hiddenSize ${hiddenSize} and a vocabulary of ${vocabularySize}`,
    { hint: 'make the encoder narrower or shallower' },
  );
}
