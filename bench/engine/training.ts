import { AdamW, Random, type SessionOptions } from '../../src/engine/index.js';
import { nll } from '../../src/loss/index.js';
import type { EncoderConfig, EncoderModel, TokenizedText } from '../../src/model/index.js';
import { scorers } from '../../src/model/scorer/kinds.js';
import { Learner } from '../../src/train/learner.js';
import { DirectStep } from '../../src/train/step/direct-step.js';
import { towerScores } from '../../src/train/step/tower-scores.js';
import type { RetrievalBatch } from '../../src/train/task/batch.js';
import type { Work } from './gemm.js';

/** How many texts, and of how many tokens. */
export interface BatchShape {
  queries: number;
  queryTokens: number;
  documentTokens: number;
}

/** What ANCE trains on: for each query a positive and a negative of 128 tokens. */
const FULL_BATCH: BatchShape = { queries: 16, queryTokens: 24, documentTokens: 128 };

/** A batch of random tokens; lengths are exact, or vary up to those given. */
export function randomBatch(
  shape: BatchShape,
  options: { vocabularySize: number; seed: number; vary?: boolean },
): RetrievalBatch {
  const random = Random.from(options.seed, 'bench', 'batch');
  const text = (tokens: number): TokenizedText => {
    const length = options.vary ? 3 + random.integer(tokens - 2) : tokens;
    return { ids: Int32Array.from({ length }, () => random.integer(options.vocabularySize)) };
  };
  const { queries, queryTokens, documentTokens } = shape;
  return {
    examples: queries,
    queries: Array.from({ length: queries }, () => text(queryTokens)),
    documents: Array.from({ length: 2 * queries }, () => text(documentTokens)),
    positives: Array.from({ length: queries }, (_, i) => i),
    negatives: Array.from({ length: queries }, (_, i) => [queries + i]),
  };
}

export async function createLearner(
  { spec, parameters }: EncoderModel,
  session: SessionOptions,
): Promise<Learner<RetrievalBatch>> {
  return new Learner({
    step: await DirectStep.create({
      scores: towerScores({ spec, scorer: scorers.get('dot').create({}) }),
      losses: [{ loss: nll, scale: 20 }],
      parameters,
      session,
    }),
    parameters,
    optimizer: new AdamW(parameters),
    learningRate: () => 1e-6,
    clip: 1,
    layers: spec.config.layers,
    seed: 1,
  });
}

/** One whole step: forward, loss, backward, clipping, AdamW. */
export async function stepWork(model: EncoderModel, session: SessionOptions): Promise<Work> {
  const learner = await createLearner(model, session);
  const { config } = model.spec;
  const batch = randomBatch(FULL_BATCH, { vocabularySize: config.vocabularySize, seed: 1 });
  const texts = [...batch.queries, ...batch.documents];
  // The backward pass multiplies each pair of matrices of the forward pass twice.
  let number = 0;
  const flops = texts.reduce((sum, { ids }) => sum + 3 * forwardFlops(config, ids.length), 0);
  return { run: () => learner.update(number++, [batch]), flops };
}

/** Matrix products of one text's forward pass, attention included, padding not. */
function forwardFlops({ hiddenSize, intermediateSize, layers }: EncoderConfig, tokens: number): number {
  const dense = 4 * hiddenSize ** 2 + 2 * hiddenSize * intermediateSize;
  const attention = 2 * tokens * hiddenSize;
  return 2 * layers * tokens * (dense + attention);
}
