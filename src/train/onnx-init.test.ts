import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadEncoderModel } from '../model/index.js';
import { exportBert, PLAIN } from '../model/onnx/bert-export.fixture.js';
import type { RunDirectory } from '../run/run-directory.js';
import { bothRoles, eventsOf, startRun, weightsOf } from './run.fixture.js';
import { writeSynonyms } from './synonyms.fixture.js';

let folder: string;
/** A model with its safetensors, and the same with nothing but its ONNX export. */
let [whole, exported]: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-onnx-init-'));
  await writeSynonyms(join(folder, 'data'), { words: 10, seed: 3 });
  const run = await startRun(folder, 'before');
  await bothRoles(run);
  whole = run.file('best');
  exported = join(folder, 'exported');
  await cp(whole, exported, { recursive: true });
  await rm(join(exported, 'model.safetensors'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A short run from a model that is there already. */
async function train(name: string, init: string): Promise<RunDirectory> {
  const run = await startRun(folder, name, {
    recipe: 'base',
    set: [
      ...[`model.init=${init}`, 'model.layers=1', 'model.maxLength.query=16', 'model.maxLength.document=32'],
      ...[
        'optimizer.learningRate=1e-3',
        'optimizer.warmupSteps=2',
        'batch.queries=8',
        'refresh.mode=lockstep',
      ],
      ...['evaluation.measures=[RR@10]', 'stages.train.steps=20', 'checkpoint.every=20'],
    ],
  });
  await bothRoles(run);
  return run;
}

test('training from an ONNX export ends in the weights that training from the safetensors ends in', async () => {
  const [fromExport, fromWhole] = [await train('from-export', exported), await train('from-whole', whole)];
  expect((await weightsOf(fromExport, 20)).equals(await weightsOf(fromWhole, 20))).toBe(true);
  const losses = (await eventsOf(fromExport, 'trainer')).flatMap((event) =>
    event.type === 'step' ? event.loss : [],
  );
  const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  expect(mean(losses.slice(-5))).toBeLessThan(mean(losses.slice(0, 5)));
});

test('a run from 8-bit weights says so in the card of its best model', async () => {
  const quantized = join(folder, 'quantized');
  await cp(exported, quantized, { recursive: true });
  const { model } = exportBert(await loadEncoderModel(whole), { ...PLAIN, matrices: 'MatMulInteger' });
  await writeFile(join(quantized, 'onnx/model.onnx'), model);
  const run = await train('from-quantized', join(quantized, 'onnx/model.onnx'));
  expect(await readFile(run.file('best', 'README.md'), 'utf8')).toContain(
    '8-bit weights (quantized, model.onnx), dequantised',
  );
});
