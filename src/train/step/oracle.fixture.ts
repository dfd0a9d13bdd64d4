import { oracleFile, oracleFolder, readOracle } from '../../../test/oracles.fixture.js';
import { type OptimizerOptions, ParameterStore } from '../../engine/index.js';
import { type EncoderSpec, encoderParameters } from '../../model/encoder/encoder-graph.js';
import type { TokenizedText } from '../../model/encoder/tokenized-texts.js';
import { openModelFolder } from '../../model/folder/model-folder.js';
import { SafetensorsFile } from '../../model/tensors/safetensors.js';
import type { RetrievalBatch } from '../task/batch.js';

type Side = 'query' | 'positive' | 'negative';

interface PaddedTexts {
  input_ids: number[][];
  attention_mask: number[][];
}

interface Descent {
  /** The loss of `nll_pair` afterwards. */
  nll_pair: number;
  lr: number;
  betas: [number, number];
  eps: number;
  weight_decay: number;
}

/** `oracles/bert-step`: a training step by PyTorch in float64. */
export interface Oracle {
  spec: EncoderSpec;
  parameters: ParameterStore;
  texts: Record<Side, TokenizedText[]>;
  /** One positive and one hard negative for each query. */
  batch: RetrievalBatch;
}

export async function loadOracle(): Promise<Oracle> {
  const { config, head, weights } = await openModelFolder(oracleFolder('bert-step'));
  const { pooling, normalize, dense, layerNorm } = head;
  const projection = dense && { size: dense.out, layerNorm: layerNorm !== undefined };
  const spec: EncoderSpec = { config, head: { pooling, projection, normalize } };
  const parameters = new ParameterStore(encoderParameters(spec));
  for (const { name, shape } of parameters.specs) await weights.read(name, shape, parameters.get(name));
  await weights.close();
  const padded = readOracle<Record<Side, PaddedTexts>>('bert-step', 'batch.json');
  const texts = {
    query: unpad(padded.query),
    positive: unpad(padded.positive),
    negative: unpad(padded.negative),
  };
  const count = texts.query.length;
  const batch: RetrievalBatch = {
    examples: count,
    queries: texts.query,
    documents: [...texts.positive, ...texts.negative],
    positives: texts.query.map((_, i) => i),
    negatives: texts.query.map((_, i) => [count + i]),
  };
  return { spec, parameters, texts, batch };
}

function unpad({ input_ids, attention_mask }: PaddedTexts): TokenizedText[] {
  return input_ids.map((ids, i) => ({ ids: ids.filter((_, t) => attention_mask[i][t] === 1) }));
}

const expected = readOracle<Record<string, { loss: number; grad_norm: number } | Descent>>(
  'bert-step',
  'expected.json',
);

/** The losses that the oracle has, by name, each with the norm of its gradient. */
export const expectedLosses = Object.entries(expected).flatMap(([name, values]) =>
  'grad_norm' in values ? [{ name, loss: values.loss, gradientNorm: values.grad_norm }] : [],
);

/** What an optimizer made of the parameters: `after_adamw_3` is AdamW's third step. */
export const expectedDescents = Object.entries(expected).flatMap(([name, values]) => {
  const [, optimizer, steps] = /^after_([a-z]+)_(\d+)$/.exec(name) ?? [];
  if (!optimizer || !('lr' in values)) return [];
  const { lr, betas, eps, weight_decay, nll_pair } = values;
  const options: OptimizerOptions = {
    beta1: betas[0],
    beta2: betas[1],
    epsilon: eps,
    weightDecay: weight_decay,
  };
  return [{ name, optimizer, steps: Number(steps), learningRate: lr, options, loss: nll_pair }];
});

export function oracleTensors(name: string): Promise<SafetensorsFile> {
  return SafetensorsFile.open(oracleFile('bert-step', name));
}

/** ‖a − b‖ / ‖b‖, or / `floor` where that is more: what should be 0 has no scale of its own. */
export function relativeDifference(a: Float32Array, b: Float32Array, floor = 1e-12): number {
  let [difference, size] = [0, 0];
  for (let i = 0; i < a.length; i++) {
    difference += (a[i] - b[i]) ** 2;
    size += b[i] ** 2;
  }
  return Math.sqrt(difference) / Math.max(Math.sqrt(size), floor);
}
