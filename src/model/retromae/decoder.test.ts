import { expect, test } from 'vitest';
import {
  type DenseTensor,
  emitOnnx,
  fillNormal,
  Graph,
  ParameterStore,
  randomKey,
  Session,
} from '../../engine/index.js';
import { bertParameters } from '../encoder/bert.js';
import { MASKED } from '../encoder/packed-batch.js';
import { buildStates } from '../encoder/states-graph.js';
import { pooledRow } from '../representation/kinds.js';
import { buildDecoder, decoderParameters } from './decoder.js';

const HIDDEN = 8;
const LENGTH = 5;
const config = {
  architecture: 'bert',
  hiddenSize: HIDDEN,
  layers: 1,
  heads: 2,
  intermediateSize: 16,
  vocabularySize: 20,
  maxPositions: 8,
  typeVocabularySize: 2,
  layerNormEps: 1e-12,
  hiddenAct: 'gelu',
  hiddenDropout: 0,
  attentionDropout: 0,
  padTokenId: 0,
  positionOffset: 0,
} as const;

/** Decodes one text of five tokens, given what its places may look at. */
async function decoder(seen: readonly (readonly number[])[]) {
  const parameters = new ParameterStore([...bertParameters(config), ...decoderParameters(config)]);
  for (const name of parameters.names) fillNormal(parameters.get(name), 0.5, randomKey(1, name));
  const graph = new Graph();
  const body = { config, representation: pooledRow({ pooling: 'mean' })!, parameters: parameters.specs };
  const states = buildStates(graph, body, { groups: 1 });
  const sentences = graph.input('sentences', ['texts0', HIDDEN]);
  const decoded = buildDecoder(graph, config, { states, sentences });
  const session = await Session.create(emitOnnx(graph, { outputs: { decoded } }), { threads: 1 });
  const sight = new Float32Array(LENGTH * LENGTH).fill(MASKED);
  seen.forEach((places, row) => {
    for (const place of places) sight[row * LENGTH + place] = 0;
  });
  const list = (data: readonly number[]): DenseTensor => ({ shape: [LENGTH], data: Int32Array.from(data) });
  const feeds: Record<string, DenseTensor> = {
    positions: list([0, 1, 2, 3, 4]),
    types: list([0, 0, 0, 0, 0]),
    bias0: { shape: [1, LENGTH], data: new Float32Array(LENGTH) },
    isFirst: { shape: [LENGTH], data: Float32Array.of(1, 0, 0, 0, 0) },
    sight: { shape: [1, LENGTH, LENGTH], data: sight },
    ...Object.fromEntries(parameters.names.map((name) => [name, parameters.tensor(name)])),
  };
  const rows = async (originals: readonly number[], sentence: readonly number[]): Promise<string[]> => {
    const { decoded } = await session.run({
      ...feeds,
      originals: list(originals),
      sentences: { shape: [1, HIDDEN], data: Float32Array.from(sentence) },
    });
    const states = decoded.data as Float32Array;
    return Array.from({ length: LENGTH }, (_, row) =>
      states.subarray(row * HIDDEN, (row + 1) * HIDDEN).join(' '),
    );
  };
  return { rows, release: () => session.release() };
}

/** The rows in which two results differ. */
const changed = (before: readonly string[], after: readonly string[]): number[] =>
  before.flatMap((row, i) => (row === after[i] ? [] : i));

const SENTENCE = [1, -1, 0.5, 0, 2, 0.3, -0.2, 0.1];

test('a place changes with the words that it sees and with no other, and every place with the vector', async () => {
  const { rows, release } = await decoder([[0], [0, 2, 3], [0, 3], [0], [0, 1]]);
  const before = await rows([1, 5, 6, 7, 2], SENTENCE);
  expect(changed(before, await rows([1, 9, 6, 7, 2], SENTENCE))).toEqual([4]);
  expect(changed(before, await rows([1, 5, 9, 7, 2], SENTENCE))).toEqual([1]);
  expect(changed(before, await rows([1, 5, 6, 9, 2], SENTENCE))).toEqual([1, 2]);
  expect(changed(before, await rows([1, 5, 6, 7, 9], SENTENCE))).toEqual([]);
  // The first token's own embedding is not looked at: the vector stands in its place.
  expect(changed(before, await rows([9, 5, 6, 7, 2], SENTENCE))).toEqual([]);
  expect(changed(before, await rows([1, 5, 6, 7, 2], SENTENCE.toReversed()))).toEqual([0, 1, 2, 3, 4]);
  await release();
});
