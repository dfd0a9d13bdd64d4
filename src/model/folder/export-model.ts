import { cp, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { NearmissError } from '../../base/errors.js';
import { exists, writeFileAtomic } from '../../base/files.js';
import { exportCrossEncoder, loadCrossEncoder } from '../cross-encoder/cross-encoder-model.js';
import { isCrossEncoder } from '../cross-encoder/cross-encoder-names.js';
import { loadEncoderModel } from '../encoder/encoder-model.js';
import { type CardFacts, mendCard } from './mend-card.js';
import { encoderEnding, exportOnnx } from './onnx-export.js';
import { MODEL_MANIFEST, saveFolder } from './save-model.js';
import { isTwoTowers, TOWER_FOLDERS } from './tower-folders.js';

export interface ExportModelOptions extends CardFacts {
  /** Replace a model of that name. */
  overwrite?: boolean;
}

/** What Transformers.js looks for, by `dtype`. */
const ONNX_FILES = { fp32: 'model.onnx', q8: 'model_quantized.onnx' } as const;

/**
 * Writes a model for others: its folder as it is, with ONNX exports in 32 and in 8 bits (`dtype: 'q8'` in
 * Transformers.js) and a card that a hub accepts.
 *
 * @param model a folder that nearmiss wrote, e.g. `runs/mine/best`
 */
export async function exportModel(
  model: string,
  out: string,
  options: ExportModelOptions = {},
): Promise<void> {
  if (await isTwoTowers(model)) {
    throw new NearmissError(`${model}: two encoders, one for queries and one for documents`, {
      hint: `export each by itself: ${join(model, TOWER_FOLDERS.queries)}, ${join(model, TOWER_FOLDERS.documents)}`,
    });
  }
  if (!(await exists(join(model, 'config.json')))) {
    throw new NearmissError(`${model}: no model here: expected config.json`, {
      hint: 'name a run, or a model folder such as runs/mine/best',
    });
  }
  const fill = async (folder: string): Promise<void> => {
    await cp(model, folder, { recursive: true });
    await rm(join(folder, MODEL_MANIFEST), { force: true });
    await mkdir(join(folder, 'onnx'), { recursive: true });
    for (const [dtype, file] of Object.entries(ONNX_FILES)) {
      await writeFileAtomic(join(folder, 'onnx', file), await onnxOf(model, dtype === 'q8'));
    }
    const card = join(folder, 'README.md');
    await writeFileAtomic(card, mendCard(await readFile(card, 'utf8'), options));
  };
  await saveFolder(out, fill, options);
}

async function onnxOf(folder: string, quantize: boolean): Promise<Uint8Array> {
  if (await isCrossEncoder(folder)) return exportCrossEncoder(await loadCrossEncoder(folder), { quantize });
  const { spec, parameters, tokenizer, maxLength } = await loadEncoderModel(folder);
  return exportOnnx(spec, parameters, { quantize, ending: encoderEnding(spec, tokenizer, maxLength) });
}
