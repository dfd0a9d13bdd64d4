import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { oracleFolder, readOracle } from '../../../test/oracles.fixture.js';
import { compile, Graph, Random } from '../../engine/index.js';
import { adjustLogits } from './adjust-logits.js';
import { largest, largestAt, logSumExp, sampleToken } from './choose-token.js';
import { Decoder } from './decoder.js';
import { generateTokens } from './generate.js';
import type { GenerateOptions, SampleOptions } from './generate-options.js';
import { readSeq2SeqWeights, type Seq2SeqWeights } from './seq2seq-model.js';
import { buildTraining, packPairs } from './training-graph.js';

interface OracleBatch {
  input_ids: number[][];
  attention_mask: number[][];
  greedy: number[][];
}

async function oracle(name: string) {
  const batch = readOracle<OracleBatch>('tricks', `${name}/batch.json`);
  const sources = batch.input_ids.map((ids, text) =>
    ids.filter((_, t) => batch.attention_mask[text][t] === 1),
  );
  const model = await readSeq2SeqWeights(join(oracleFolder('tricks'), name));
  return { batch, sources, model, decoder: await Decoder.create(model) };
}

/** Gives the logits after each of a target's tokens, computed from all of them at once and without a cache. */
async function withoutCache({ spec, parameters }: Seq2SeqWeights) {
  const graph = new Graph();
  const { logits } = buildTraining(graph, spec);
  const session = await compile(graph, { outputs: { logits }, parameters });
  const size = spec.shape.vocabularySize;
  return async (source: number[], target: number[]): Promise<Float32Array[]> => {
    const results = await session.run(packPairs([{ source, target }], spec).feeds);
    return target.map((_, t) => (results.logits.data as Float32Array).slice(t * size, (t + 1) * size));
  };
}

const SAMPLE: SampleOptions = { kind: 'sample', copies: 3, topK: 10, topP: 0.9, temperature: 1, seed: 5 };

describe.each(['t5-relu', 't5-gated'])('%s', (name) => {
  test('greedy outputs equal those of PyTorch', async () => {
    const { batch, sources, decoder } = await oracle(name);
    const maxTokens = batch.greedy[0].length - 1;
    const written = await generateTokens(decoder, sources, { maxTokens, search: { kind: 'greedy' } });
    await decoder.release();
    const { startId, endId, padId } = decoder.shape;
    written.forEach(([tokens], text) => {
      const padded = [startId, ...tokens];
      if (tokens.at(-1) === endId) while (padded.length <= maxTokens) padded.push(padId);
      expect(padded).toEqual(batch.greedy[text]);
    });
  });

  test('with the cache as without', async () => {
    const { sources, model, decoder } = await oracle(name);
    const random = Random.from(1, 'targets');
    const size = decoder.shape.vocabularySize;
    const targets = sources.map(() => Array.from({ length: 40 }, () => random.integer(size)));
    const state = await decoder.read(sources, 1);
    const wholeLogits = await withoutCache(model);
    const whole = await Promise.all(sources.map((source, text) => wholeLogits(source, targets[text])));
    let last = new Int32Array(sources.length).fill(decoder.shape.startId);
    for (let t = 0; t < 40; t++) {
      const logits = await decoder.write(state, last);
      sources.forEach((_, text) => {
        const own = logits.subarray(text * size, (text + 1) * size);
        const apart = own.map((logit, token) => Math.abs(logit - whole[text][t][token]));
        expect(Math.max(...apart)).toBeLessThan(1e-4);
      });
      last = Int32Array.from(targets, (target) => target[t]);
    }
    await decoder.release();
  });

  test('a beam that keeps everything finds the most probable sequences', async () => {
    const { sources, model, decoder } = await oracle(name);
    const { vocabularySize: size, endId } = decoder.shape;
    const search = { kind: 'beam', beams: size, copies: 5, lengthPenalty: 0.7 } as const;
    const found = await generateTokens(decoder, sources.slice(0, 1), { maxTokens: 2, search });
    await decoder.release();
    const logs = (logits: Float32Array): number[] => {
      const total = logSumExp(logits);
      return Array.from(logits, (logit) => logit - total);
    };
    const wholeLogits = await withoutCache(model);
    const all: { tokens: number[]; score: number }[] = [];
    for (let first = 0; first < size; first++) {
      const [one, two] = (await wholeLogits(sources[0], [first, 0])).map(logs);
      if (first === endId) all.push({ tokens: [first], score: one[first] });
      else
        for (let second = 0; second < size; second++) {
          all.push({ tokens: [first, second], score: (one[first] + two[second]) / 2 ** 0.7 });
        }
    }
    all.sort((a, b) => b.score - a.score);
    expect(found[0]).toEqual(all.slice(0, 5).map(({ tokens }) => tokens));
  });

  test('a beam of one is greedy, and a wider one at least as probable', async () => {
    const { sources, model, decoder } = await oracle(name);
    const options = { maxTokens: 6, minTokens: 5 };
    const beam = (beams: number): GenerateOptions => ({
      ...options,
      search: { kind: 'beam', beams, copies: 1, lengthPenalty: 0 },
    });
    const greedy = await generateTokens(decoder, sources, { ...options, search: { kind: 'greedy' } });
    expect(await generateTokens(decoder, sources, beam(1))).toEqual(greedy);
    const wide = await generateTokens(decoder, sources, beam(6));
    await decoder.release();
    const wholeLogits = await withoutCache(model);
    const probability = async (source: number[], tokens: number[]): Promise<number> =>
      (await wholeLogits(source, tokens)).reduce(
        (sum, logits, t) => sum + logits[tokens[t]] - logSumExp(logits),
        0,
      );
    for (const [text, source] of sources.entries()) {
      const [one, many] = [
        await probability(source, greedy[text][0]),
        await probability(source, wide[text][0]),
      ];
      expect(many).toBeGreaterThanOrEqual(one - 1e-4);
    }
  });

  test('samples depend on seed, text and copy, and not on the batch', async () => {
    const { sources, decoder } = await oracle(name);
    const write = (chosen: number[], seed = 5): Promise<number[][][]> =>
      generateTokens(
        decoder,
        chosen.map((text) => sources[text]),
        { maxTokens: 12, search: { ...SAMPLE, seed, keys: chosen } },
      );
    const together = await write([0, 1, 2]);
    expect(await write([2])).toEqual([together[2]]);
    expect(await write([1, 0])).toEqual([together[1], together[0]]);
    expect(await write([0, 1, 2], 6)).not.toEqual(together);
    expect(new Set(together[0].map(String)).size).toBe(3);
    await decoder.release();
  });

  test('controls of length and repetition hold', async () => {
    const { sources, decoder } = await oracle(name);
    const { endId } = decoder.shape;
    const written = await generateTokens(decoder, sources, {
      maxTokens: 20,
      minTokens: 8,
      noRepeat: 2,
      suppress: [22, 17],
      search: { ...SAMPLE, topK: 0, temperature: 0.5 },
    });
    await decoder.release();
    for (const tokens of written.flat()) {
      expect(tokens.length).toBeLessThanOrEqual(20);
      expect(tokens.slice(0, 8)).not.toContain(endId);
      expect(tokens).not.toContain(22);
      const pairs = tokens.slice(1).map((token, i) => `${tokens[i]} ${token}`);
      expect(new Set(pairs).size).toBe(pairs.length);
    }
  });
});

describe('one token', () => {
  const logits = fc.array(fc.double({ min: -8, max: 8, noNaN: true }), { minLength: 1, maxLength: 30 });

  test('the largest are those that sorting finds', () => {
    fc.assert(
      fc.property(logits, fc.integer({ min: 1, max: 12 }), (values, k) => {
        const sorted = values.map((_, i) => i).sort((a, b) => values[b] - values[a] || a - b);
        expect(largest(values, k)).toEqual(sorted.slice(0, k));
        expect(largestAt(values)).toBe(sorted[0]);
      }),
    );
  });

  test('draws follow the probabilities of the tokens that top-k and top-p leave', () => {
    const values = [0, 2, 1, -1, 1.5];
    const counts = new Map<number, number>();
    const n = 20_000;
    for (let i = 0; i < n; i++) {
      const token = sampleToken(values, { topK: 4, topP: 0.85, temperature: 2 }, (i + 0.5) / n);
      counts.set(token, (counts.get(token) ?? 0) + 1);
    }
    // exp(x/2) of the best four: 2.718, 2.117, 1.649, 1 of 7.484; .85 of it is reached with the third.
    expect([...counts.keys()].sort()).toEqual([1, 2, 4]);
    const share = (token: number): number => counts.get(token)! / n;
    expect(share(1)).toBeCloseTo(Math.E / 6.484, 2);
    expect(share(4)).toBeCloseTo(2.117 / 6.484, 2);
  });

  test('a penalty makes what was written less probable, whatever its sign', () => {
    const values = Float32Array.of(2, -2, 1);
    adjustLogits(values, [0, 1, 0], {
      endId: 2,
      maxTokens: 9,
      repetitionPenalty: 2,
      search: { kind: 'greedy' },
    });
    expect([...values]).toEqual([1, -4, 1]);
  });

  test.each([
    [{ maxTokens: 0, search: { kind: 'greedy' } }, 'maxTokens: expected a whole number from 1, got 0'],
    [
      { maxTokens: 4, minTokens: 4, search: { kind: 'greedy' } },
      'minTokens: expected fewer than maxTokens (4), got 4',
    ],
    [{ maxTokens: 4, search: { ...SAMPLE, topP: 0 } }, 'topP: expected a number above 0 and up to 1, got 0'],
    [
      { maxTokens: 4, search: { kind: 'beam', beams: 2, copies: 3, lengthPenalty: 1 } },
      'copies: expected at most as many as beams (2), got 3',
    ],
  ] as [GenerateOptions, string][])('%j is refused', async (options, message) => {
    const { sources, decoder } = await oracle('t5-relu');
    await expect(generateTokens(decoder, sources, options)).rejects.toThrow(message);
    await decoder.release();
  });
});
