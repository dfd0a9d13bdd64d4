import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AdamW, compile, Graph, Random } from '../../engine/index.js';
import { createEncoderModel } from '../../model/index.js';
import { createBert2Rnd } from '../../model/seq2seq/create-bert2rnd.js';
import { Decoder } from '../../model/seq2seq/decoder.js';
import { generateTokens } from '../../model/seq2seq/generate.js';
import { Likelihood } from '../../model/seq2seq/likelihood.js';
import { loadSeq2Seq, type Seq2SeqModel, saveSeq2Seq } from '../../model/seq2seq/seq2seq-model.js';
import { buildTraining, packPairs, type Seq2SeqPair } from '../../model/seq2seq/training-graph.js';
import { trainTokenizer } from '../../text/train-tokenizer.js';
import { Seq2SeqStep, writingBatch } from './seq2seq-step.js';

const session = { threads: 1 };
async function* letters(): AsyncGenerator<string> {
  yield 'abcdefghijklmnopqrstuvwxyz'.split('').join(' ');
}
const tokenizer = await trainTokenizer(letters(), { vocabularySize: 60 });

/** Weights that are larger than usual, so that what is copied and what is written both count. */
function small(): Seq2SeqModel {
  const encoder = createEncoderModel({ tokenizer, hiddenSize: 16, layers: 1, heads: 2, maxLength: 16 });
  const model = createBert2Rnd(encoder, { decoderLayers: 1, maxSource: 16, maxTarget: 8, copy: true });
  const random = Random.from(4, 'weights');
  for (const name of model.parameters.names) {
    if (/norm/i.test(name)) continue;
    model.parameters.get(name).forEach((_, i, all) => {
      all[i] = 0.8 * (random.uniform() - 0.5);
    });
  }
  return model;
}

const END = tokenizer.specialTokens.sep!.id;
const size = tokenizer.vocabularySize;
const random = Random.from(2, 'tokens');
const tokens = (count: number): number[] => Array.from({ length: count }, () => 5 + random.integer(size - 5));
const repeated = tokens(4);
const PAIRS: Seq2SeqPair[] = [
  { source: [...repeated, ...repeated, 7], target: [repeated[1], 9, repeated[2], END] },
  { source: tokens(5), target: [...tokens(2), END] },
];

/** The probabilities of every next word, added up by hand from the logits of writing and of copying. */
async function byHand(model: Seq2SeqModel, pair: Seq2SeqPair): Promise<number[][]> {
  const graph = new Graph();
  const { logits, copies } = buildTraining(graph, model.spec);
  const run = await compile(graph, { outputs: { logits, copies: copies! }, parameters: model.parameters });
  const results = await run.run(packPairs([pair], model.spec).feeds);
  await run.release();
  return Array.from(pair.target, (_, t) => {
    const written = Array.from(results.logits.data.slice(t * size, (t + 1) * size), Number).map(Math.exp);
    const length = pair.source.length;
    const copied = Array.from(results.copies.data.slice(t * length, (t + 1) * length), Number).map(Math.exp);
    const total = [...written, ...copied].reduce((sum, value) => sum + value, 0);
    copied.forEach((value, at) => {
      written[pair.source[at]] += value;
    });
    return written.map((value) => value / total);
  });
}

test('a token comes next by being written, or copied from any place that has it', async () => {
  const model = small();
  const likelihood = await Likelihood.create(model, session);
  const found = await likelihood.of(PAIRS);
  await likelihood.release();
  for (const [i, pair] of PAIRS.entries()) {
    const probabilities = await byHand(model, pair);
    const mean =
      probabilities.reduce((sum, next, t) => sum + Math.log(next[pair.target[t]]), 0) / pair.target.length;
    expect(found[i]).toBeCloseTo(mean, 4);
  }
});

test('the decoder gives the same probabilities, one token at a time and after texts have left', async () => {
  const model = small();
  const decoder = await Decoder.create(model, session);
  const state = await decoder.read(
    PAIRS.map(({ source }) => source),
    2,
  );
  const expected = await Promise.all(PAIRS.map((pair) => byHand(model, pair)));
  let texts = [0, 1];
  let last = new Int32Array(4).fill(decoder.shape.startId);
  for (let t = 0; t < 3; t++) {
    const logits = await decoder.write(state, last);
    for (const [place, text] of texts.entries()) {
      const own = logits.slice((2 * place + 1) * size, (2 * place + 2) * size).map(Math.exp);
      const total = own.reduce((sum, value) => sum + value, 0);
      const apart = own.map((value, token) => Math.abs(value / total - expected[text][t][token]));
      expect(Math.max(...apart)).toBeLessThan(1e-5);
    }
    if (t === 1) {
      decoder.keep(state, [1]);
      texts = [1];
    }
    last = Int32Array.from(texts.flatMap((text) => [PAIRS[text].target[t], PAIRS[text].target[t]]));
  }
  await decoder.release();
});

test('the gradient equals finite differences', async () => {
  const model = small();
  const step = await Seq2SeqStep.create({ model, smoothing: 0.1, session });
  const gradients = model.parameters.zerosLike();
  const run = { seed: 1, step: 0 };
  await step.addGradients(writingBatch(PAIRS), gradients, run);
  const scratch = model.parameters.zerosLike();
  const { buffer } = model.parameters;
  const start = buffer.slice();
  for (const part of ['copy.query.weight', 'copy.key.weight', 'copy.key.bias', undefined]) {
    const direction = model.parameters.zerosLike();
    if (part === undefined) direction.buffer.set(gradients.buffer);
    else direction.get(part).set(gradients.get(part));
    const norm = Math.hypot(...direction.buffer);
    expect(norm).toBeGreaterThan(1e-3);
    const moved = async (by: number): Promise<number> => {
      for (let i = 0; i < buffer.length; i++) buffer[i] = start[i] + (by * direction.buffer[i]) / norm;
      return (await step.addGradients(writingBatch(PAIRS), scratch, run)).loss;
    };
    const numeric = ((await moved(5e-3)) - (await moved(-5e-3))) / 1e-2;
    expect(Math.abs(numeric - norm) / norm, part).toBeLessThan(1e-2);
  }
  await step.release();
});

test('what learns to say the first word again does so with words it has never seen', async () => {
  const encoder = createEncoderModel({ tokenizer, hiddenSize: 16, layers: 1, heads: 2, maxLength: 16 });
  const model = createBert2Rnd(encoder, { decoderLayers: 1, maxSource: 16, maxTarget: 8, copy: true });
  const step = await Seq2SeqStep.create({ model, smoothing: 0, session });
  const optimizer = new AdamW(model.parameters, { weightDecay: 0 });
  const { endId } = model.spec.shape;
  const [seen, unseen] = [Math.floor(size / 2), size];
  const pairOf = (from: number, to: number): Seq2SeqPair => {
    const source = Array.from({ length: 4 }, () => from + random.integer(to - from));
    return { source: [model.spec.shape.startId, ...source], target: [source[0], endId] };
  };
  for (let at = 0; at < 150; at++) {
    const gradients = model.parameters.zerosLike();
    const pairs = Array.from({ length: 16 }, () => pairOf(5, seen));
    await step.addGradients(writingBatch(pairs), gradients, { seed: 1, step: at });
    optimizer.update(gradients, 1e-2);
  }
  await step.release();
  const decoder = await Decoder.create(model, session);
  const asked = Array.from({ length: 20 }, () => pairOf(seen, unseen));
  const written = await generateTokens(
    decoder,
    asked.map(({ source }) => source),
    { maxTokens: 3, search: { kind: 'greedy' } },
  );
  await decoder.release();
  const right = asked.filter(({ target }, i) => written[i][0][0] === target[0]);
  expect(right.length).toBeGreaterThan(15);
});

test('a folder keeps it, and one without it does not copy', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-copying-'));
  try {
    const model = small();
    await saveSeq2Seq(join(folder, 'model'), model);
    const read = await loadSeq2Seq(join(folder, 'model'));
    expect(read.spec.copies).toBe(true);
    expect(read.parameters.buffer).toEqual(model.parameters.buffer);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
