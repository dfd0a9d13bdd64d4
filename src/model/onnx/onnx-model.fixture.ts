import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fillNormal, randomKey, Session } from '../../engine/index.js';
import { tokenizerJsons } from '../../text/tokenizer.fixture.js';
import { Tokenizer } from '../../text/tokenizer.js';
import { toHuggingFaceConfig } from '../encoder/config.js';
import { Encoder } from '../encoder/encoder.js';
import { createEncoderModel, type EncoderModel } from '../encoder/encoder-model.js';
import type { HeadOptions } from '../encoder/head-config.js';
import { type BertExport, DATA_FILE } from './bert-export.fixture.js';
import { runExport } from './run-export.fixture.js';

export const TEXTS = ['near miss', 'a', 'near misses near a miss, a b'];
const MAX_LENGTH = 24;

/** A small BERT with random weights, none of them zero. */
export async function smallModel(folder: string, head?: HeadOptions): Promise<EncoderModel> {
  await writeFile(join(folder, 'tokenizer.json'), (await tokenizerJsons()).wordPiece);
  const tokenizer = await Tokenizer.load(folder);
  const model = createEncoderModel({
    tokenizer,
    hiddenSize: 32,
    layers: 2,
    heads: 4,
    maxLength: MAX_LENGTH,
    head,
  });
  for (const name of model.parameters.names) fillNormal(model.parameters.get(name), 0.3, randomKey(1, name));
  return model;
}

/** A model's folder with nothing in it but an export and what belongs to it. */
export async function writeExport(
  root: string,
  model: EncoderModel,
  exported: Pick<BertExport, 'model' | 'data'>,
  name = 'onnx/model.onnx',
): Promise<string> {
  const folder = await mkdtemp(join(root, 'model-'));
  await mkdir(join(folder, 'onnx'));
  await writeFile(join(folder, 'config.json'), JSON.stringify(toHuggingFaceConfig(model.spec.config)));
  await model.tokenizer.save(folder, { maxLength: MAX_LENGTH });
  await writeFile(join(folder, name), exported.model);
  if (exported.data.length > 0) await writeFile(join(folder, 'onnx', DATA_FILE), exported.data);
  return folder;
}

/** The vectors that ONNX Runtime gives for an export itself. */
export async function exportedVectors(model: EncoderModel, exported: BertExport): Promise<Float32Array> {
  const files: Record<string, Uint8Array> = exported.data.length > 0 ? { [DATA_FILE]: exported.data } : {};
  const session = await Session.create(exported.model, { threads: 1 }, files);
  const vectors = await runExport(session, model, TEXTS);
  await session.release();
  return vectors;
}

export async function vectorsOf(model: EncoderModel): Promise<Float32Array> {
  const encoder = await Encoder.create(model, { session: { threads: 1 } });
  const { vectors } = await encoder.encode(TEXTS);
  await encoder.release();
  return vectors;
}

export function largestDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) return Number.NaN;
  return Array.from(a).reduce((largest, value, i) => Math.max(largest, Math.abs(value - b[i])), 0);
}

/** Whether two lists hold the same numbers, bit for bit. */
export function sameBits(a: Float32Array, b: Float32Array): boolean {
  const [x, y] = [a, b].map(({ buffer, byteOffset, byteLength }) =>
    Buffer.from(buffer, byteOffset, byteLength),
  );
  return x.equals(y);
}
