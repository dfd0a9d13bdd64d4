import { describe, expect, test } from 'vitest';
import {
  type DenseTensor,
  differentiateLoss,
  emitOnnx,
  fillNormal,
  Graph,
  mul,
  ParameterStore,
  randomKey,
  reduceSum,
  Session,
  selectRows,
} from '../../engine/index.js';
import { mlmHeadParameters, mlmLogits } from './mlm-head.js';
import { startMlmHead } from './start-mlm-head.js';

const config = { hiddenSize: 6, vocabularySize: 9, layerNormEps: 1e-12 };
const WORDS = 'embeddings.word_embeddings.weight';
const ROWS = 5;

function randomStore(): ParameterStore {
  const store = new ParameterStore([...mlmHeadParameters(config), { name: WORDS, shape: [9, 6] }]);
  for (const name of store.names) fillNormal(store.get(name), 0.5, randomKey(3, name));
  return store;
}

function randomStates(): DenseTensor {
  const data = new Float32Array(ROWS * config.hiddenSize);
  fillNormal(data, 1, randomKey(3, 'states'));
  return { shape: [ROWS, config.hiddenSize], data };
}

/** The head over some of the states, as pretraining asks: those of masked tokens. */
function buildMasked(store: ParameterStore) {
  const graph = new Graph();
  const parameters = new Map(
    store.names.map((name) => [name, graph.parameter(name, store.tensor(name).shape as number[])]),
  );
  const states = graph.input('states', ['tokens', config.hiddenSize]);
  const [index, inverse] = [
    graph.input('index', ['masked'], 'int32'),
    graph.input('inverse', ['tokens'], 'int32'),
  ];
  const masked = selectRows(states, index, inverse);
  const logits = mlmLogits(masked, { config, parameter: (name) => parameters.get(name)! });
  return { graph, states, logits, parameters };
}

const selection = {
  index: { shape: [2], data: Int32Array.of(4, 1) },
  inverse: { shape: [ROWS], data: Int32Array.of(2, 1, 2, 2, 0) },
};

describe('MLM head', () => {
  test('gradients of states and every parameter, the table of words too, equal finite differences', async () => {
    const store = randomStore();
    const { graph, states, logits, parameters } = buildMasked(store);
    const loss = reduceSum(mul(logits, graph.input('weights', ['masked', 9])));
    const { dense, sparse } = differentiateLoss(loss, [states, ...parameters.values()]);
    expect(sparse).toEqual([]);
    const gradients = Object.fromEntries([...dense].map(([value, gradient]) => [value.name, gradient]));
    const named = Object.fromEntries(Object.entries(gradients).map(([name, value]) => [`d ${name}`, value]));
    const session = await Session.create(emitOnnx(graph, { outputs: { logits, ...named } }), { threads: 1 });
    const weights = new Float32Array(2 * 9);
    fillNormal(weights, 1, randomKey(3, 'weights'));
    const feeds: Record<string, DenseTensor> = {
      states: randomStates(),
      weights: { shape: [2, 9], data: weights },
      ...selection,
      ...Object.fromEntries(store.names.map((name) => [name, store.tensor(name)])),
    };
    const lossAt = async (): Promise<number> => {
      const { logits: y } = await session.run(feeds, { outputs: ['logits'] });
      return (y.data as Float32Array).reduce((sum, value, i) => sum + value * weights[i], 0);
    };
    const found = await session.run(feeds);
    expect(Object.keys(gradients).sort()).toEqual(['states', ...store.names].sort());
    for (const name of Object.keys(gradients)) {
      const data = feeds[name].data as Float32Array;
      for (let i = 0; i < data.length; i++) {
        const kept = data[i];
        data[i] = kept + 5e-3;
        const above = await lossAt();
        data[i] = kept - 5e-3;
        const below = await lossAt();
        data[i] = kept;
        const numeric = (above - below) / 1e-2;
        expect(Math.abs(numeric - Number(found[`d ${name}`].data[i])), `${name}[${i}]`).toBeLessThan(
          5e-3 * Math.max(1, Math.abs(numeric)),
        );
      }
    }
    await session.release();
  });

  test('a head that came with no weights compares what LayerNorm keeps of a state with the words', async () => {
    const store = randomStore();
    startMlmHead(store);
    const { graph, logits } = buildMasked(store);
    const session = await Session.create(emitOnnx(graph, { outputs: { logits } }), { threads: 1 });
    const states = randomStates();
    const parameterFeeds = Object.fromEntries(store.names.map((name) => [name, store.tensor(name)]));
    const found = await session.run({ states, ...selection, ...parameterFeeds });
    const table = store.get(WORDS);
    [4, 1].forEach((row, place) => {
      const state = Array.from((states.data as Float32Array).subarray(row * 6, row * 6 + 6));
      const mean = state.reduce((sum, x) => sum + x, 0) / 6;
      const deviation = Math.sqrt(state.reduce((sum, x) => sum + (x - mean) ** 2, 0) / 6);
      for (let word = 0; word < 9; word++) {
        const expected = state.reduce((sum, x, i) => sum + ((x - mean) / deviation) * table[word * 6 + i], 0);
        expect(found.logits.data[place * 9 + word]).toBeCloseTo(expected, 4);
      }
    });
    await session.release();
  });
});
