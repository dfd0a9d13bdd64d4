import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ParameterStore } from '../../engine/index.js';
import { readEncoderConfig } from '../../model/encoder/config.js';
import { type EncoderSpec, encoderParameters } from '../../model/encoder/encoder-graph.js';
import type { TokenizedText } from '../../model/encoder/packed-batch.js';
import { openWeights } from '../../model/folder/weights.js';
import { SafetensorsFile } from '../../model/tensors/safetensors.js';
import type { TrainingBatch } from '../task/batch.js';

/** Known answers made by PyTorch in float64; see the README beside them. */
export const ORACLE = resolve(import.meta.dirname, '../../../../shared/oracles/bert-step');
export const oracleMissing = !existsSync(ORACLE);

interface PaddedTexts {
  input_ids: number[][];
  attention_mask: number[][];
}

export interface Oracle {
  spec: EncoderSpec;
  parameters: ParameterStore;
  texts: Record<'query' | 'positive' | 'negative', TokenizedText[]>;
  expected: Record<string, { loss: number; grad_norm: number } & Record<string, number>>;
  /** One positive and one hard negative for each query. */
  batch: TrainingBatch;
}

export async function loadOracle(): Promise<Oracle> {
  const config = await readEncoderConfig(join(ORACLE, 'config.json'));
  const head = { pooling: 'first', projection: { size: 32, layerNorm: true }, normalize: false } as const;
  const spec: EncoderSpec = { config, head };
  const parameters = new ParameterStore(encoderParameters(spec));
  const weights = await openWeights(ORACLE);
  for (const { name, shape } of parameters.specs) await weights.read(name, shape, parameters.get(name));
  await weights.close();
  const json = (name: string): unknown => JSON.parse(readFileSync(join(ORACLE, name), 'utf8'));
  const raw = json('batch.json') as Record<'query' | 'positive' | 'negative', PaddedTexts>;
  const unpad = ({ input_ids, attention_mask }: PaddedTexts): TokenizedText[] =>
    input_ids.map((ids, i) => ({
      ids: ids.slice(
        0,
        attention_mask[i].reduce((a, b) => a + b),
      ),
    }));
  const texts = { query: unpad(raw.query), positive: unpad(raw.positive), negative: unpad(raw.negative) };
  const batch: TrainingBatch = {
    queries: texts.query,
    documents: [...texts.positive, ...texts.negative],
    positives: [0, 1, 2, 3],
    negatives: [[4], [5], [6], [7]],
  };
  return { spec, parameters, texts, expected: json('expected.json') as Oracle['expected'], batch };
}

export function oracleTensors(name: string): Promise<SafetensorsFile> {
  return SafetensorsFile.open(join(ORACLE, name));
}

/** ‖a − b‖ / ‖b‖ */
export function relativeDifference(a: Float32Array, b: Float32Array): number {
  let [difference, size] = [0, 0];
  for (let i = 0; i < a.length; i++) {
    difference += (a[i] - b[i]) ** 2;
    size += b[i] ** 2;
  }
  return Math.sqrt(difference) / Math.max(Math.sqrt(size), 1e-12);
}
