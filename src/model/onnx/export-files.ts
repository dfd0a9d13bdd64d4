import { basename, dirname, join } from 'node:path';
import { NearmissError } from '../../base/errors.js';
import { exists } from '../../base/files.js';

/** Names that Transformers.js and sentence-transformers give exports, the most exact weights first. */
const USUAL_NAMES = ['model', 'model_fp16', 'model_quantized', 'model_int8', 'model_uint8'].map(
  (name) => `${name}.onnx`,
);
const FOLDERS = ['onnx/', ''];

/** Whether a path names an export itself, not the folder of a model. */
export function isExport(path: string): boolean {
  return path.endsWith('.onnx');
}

/**
 * Which of a model's files is the export to read: that in `onnx/` before others, the most exact before others, and one
 * of another name only if it is the only one.
 *
 * @param files paths inside the model, with `/`
 */
export function chooseExport(model: string, files: readonly string[]): string | undefined {
  const usual = FOLDERS.flatMap((folder) => USUAL_NAMES.map((name) => folder + name));
  const found = usual.find((name) => files.includes(name));
  if (found !== undefined) return found;
  const others = files.filter(
    (name) => isExport(name) && FOLDERS.includes(name.slice(0, -basename(name).length)),
  );
  if (others.length <= 1) return others[0];
  throw new NearmissError(
    `${model}: expected ${usual[0]} or one other *.onnx file, got ${others.join(', ')}`,
    {
      hint: `name the file to use (of a hub's model, once it is downloaded), e.g. ${join(model, others[0])}`,
    },
  );
}

/** Files beside an export that hold its data: `model.onnx_data`, `model.onnx_data_1`, `model.onnx.data`. */
export function isDataOf(exported: string, file: string): boolean {
  return file.startsWith(exported) && /^[._]data(_\d+)?$/.test(file.slice(exported.length));
}

/** The folder of the model that a bare export belongs to: where `config.json` is, beside the file or one folder up. */
export async function folderOfExport(path: string): Promise<string> {
  const beside = dirname(path);
  const above = join(beside, '..');
  for (const folder of [beside, above]) if (await exists(join(folder, 'config.json'))) return folder;
  throw new NearmissError(
    `${path}: config.json is neither beside it (${beside}) nor one folder up (${above})`,
    {
      hint: "put the model's config.json and tokenizer.json beside the export: an ONNX file does not say how many heads there are",
    },
  );
}
