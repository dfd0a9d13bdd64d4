import { describe, expect, test } from 'vitest';
import { compile, fillNormal, Graph, ParameterStore, Random, randomKey } from '../../engine/index.js';
import type { EncoderConfig } from '../encoder/config.js';
import { type EncodedTexts, rowsOf, stackRows } from '../encoder/encoded-texts.js';
import {
  buildEncoder,
  type EncoderSpec,
  embeddingSize,
  encoderFeeds,
  encoderParameters,
} from '../encoder/encoder-graph.js';
import { packBatch } from '../encoder/packed-batch.js';
import { TextRows } from '../encoder/text-rows.js';
import type { TokenizedText } from '../encoder/tokenized-texts.js';
import { TERM_ROW, weighingTerms } from '../scorer/impact.js';
import type { Side } from '../side.js';
import { makesTerms, type Pooling, representationOf, representations } from './kinds.js';
import {
  mostRows,
  type PooledRow,
  readAs,
  rowCount,
  rowOffsets,
  weighsVocabulary,
} from './representation.js';

const CONFIG: EncoderConfig = {
  architecture: 'bert',
  hiddenSize: 16,
  layers: 2,
  heads: 2,
  intermediateSize: 32,
  vocabularySize: 40,
  maxPositions: 20,
  typeVocabularySize: 2,
  layerNormEps: 1e-12,
  hiddenAct: 'gelu',
  hiddenDropout: 0,
  attentionDropout: 0,
  padTokenId: 0,
  positionOffset: 0,
};
const GROUPS = 3;
const session = { threads: 1 };

/** Texts of random tokens, the shortest of one. */
function randomTexts(count: number): TokenizedText[] {
  const random = Random.from(5, 'texts');
  return Array.from({ length: count }, (_, i) => ({
    ids: Int32Array.from({ length: 1 + ((i * 5) % 13) }, () => 1 + random.integer(39)),
  }));
}

/** What every representation must do; one call for each. */
export function representationConformance(pooling: Pooling, side: Side): void {
  const { projection } = representations.get(pooling.pooling);
  const spec: EncoderSpec = {
    config: CONFIG,
    head: {
      ...pooling,
      ...(projection && { projection: { size: projection, layerNorm: false } }),
      normalize: !makesTerms(pooling),
    },
  };
  const parameters = new ParameterStore(encoderParameters(spec));
  for (const name of parameters.names) {
    if (/norm\.weight/i.test(name)) parameters.get(name).fill(1);
    else fillNormal(parameters.get(name), 0.3, randomKey(3, name));
  }
  const size = embeddingSize(spec);
  const representation = representationOf(pooling, side);

  /** Rows as a training step makes them: several length groups, every state computed. */
  async function trainingRows(given: readonly TokenizedText[]): Promise<EncodedTexts> {
    const texts = given.map((text) => readAs(representation, text));
    const graph = new Graph();
    const { embeddings } = buildEncoder(graph, spec, { groups: GROUPS, side });
    const compiled = await compile(graph, { outputs: { rows: embeddings }, parameters, session });
    const packed = packBatch(texts, { representation, groups: GROUPS, padTokenId: 0, positionOffset: 0 });
    const data = (await compiled.run(encoderFeeds(packed))).rows.data as Float32Array;
    await compiled.release();
    const offsets = rowOffsets(representation, texts);
    const vectors = new Float32Array(data.length);
    packed.order.forEach((text, place) => {
      const [first, end] = [packed.rowOffsets[place], packed.rowOffsets[place + 1]];
      vectors.set(data.subarray(first * size, end * size), offsets[text] * size);
    });
    if (!weighsVocabulary(representation)) return { vectors, offsets };
    // Of weights for the whole vocabulary those above 0 are kept.
    const dense = texts.map((_, text) => vectors.subarray(text * size, (text + 1) * size));
    return stackRows(dense.map(weighingTerms), TERM_ROW);
  }

  /** Rows as everybody else makes them: only what they need is computed. */
  async function inferenceRows(texts: readonly TokenizedText[]): Promise<EncodedTexts> {
    const graph = new Graph();
    const { embeddings } = buildEncoder(graph, spec, { groups: 1, inference: true, side });
    const shape = { config: CONFIG, representation, size };
    const rows = await TextRows.compile(
      { graph, rows: embeddings, parameters, ...shape },
      { session, tokenBudget: 32 },
    );
    return rows.of(texts).finally(() => rows.release());
  }

  const furthest = (a: Float32Array, b: Float32Array): number =>
    a.reduce(
      (most, value, i) => Math.max(most, Math.abs(value - b[i])),
      a.length === b.length ? 0 : Number.NaN,
    );

  describe(`representation ${pooling.pooling}, ${side}`, () => {
    const texts = randomTexts(11);

    test('training rows equal inference rows', async () => {
      const [trained, inferred] = [await trainingRows(texts), await inferenceRows(texts)];
      expect(trained.offsets).toEqual(inferred.offsets);
      expect(furthest(trained.vectors, inferred.vectors)).toBeLessThan(1e-5);
      // Rows are different rows, or nothing would have been compared.
      const { vectors } = trained;
      expect(furthest(vectors.subarray(0, size), vectors.subarray(-size))).toBeGreaterThan(1e-3);
    });

    test("a text's rows do not depend on the texts beside it", async () => {
      const together = await inferenceRows(texts);
      for (const nth of [0, 4, 10]) {
        const alone = await inferenceRows([texts[nth]]);
        expect(furthest(alone.vectors, rowsOf(together, nth))).toBeLessThan(1e-5);
      }
    });

    test('every text has a row, of tokens that are there, and the same text always the same', () => {
      for (const given of texts) {
        const text = readAs(representation, given);
        expect(readAs(representation, given)).toEqual(text);
        expect(rowCount(representation, text)).toBeGreaterThan(0);
        expect(rowCount(representation, text)).toBeLessThanOrEqual(mostRows(representation));
        if ('tokens' in representation) {
          const tokens = Array.from(representation.tokens(text));
          expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
          expect(tokens.every((token) => token >= 0 && token < text.ids.length)).toBe(true);
        }
        if ('weigh' in representation) checkWeights(representation, text);
      }
    });
  });
}

/** Padding weighs nothing, some token does. */
function checkWeights(representation: PooledRow, text: TokenizedText): void {
  const { length } = text.ids;
  const [weights, again] = [new Float32Array(length + 3), new Float32Array(length + 3)];
  representation.weigh(text, weights);
  representation.weigh(text, again);
  expect(again).toEqual(weights);
  expect(weights.every(Number.isFinite)).toBe(true);
  expect(weights.subarray(0, length).some((weight) => weight !== 0)).toBe(true);
  expect([...weights.subarray(length)]).toEqual([0, 0, 0]);
  if (representation.firstTokenOnly) expect(weights.subarray(1).every((weight) => weight === 0)).toBe(true);
}
