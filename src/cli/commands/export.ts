import { basename, join } from 'node:path';
import { UsageError } from '../../base/errors.js';
import type { RegisterCommand } from '../command.js';
import { repeated } from '../options/option-parsers.js';
import { print, printJson, tell } from '../output.js';

interface ExportFlags {
  out?: string;
  license?: string;
  baseModel?: string;
  dataset?: string[];
  overwrite?: boolean;
  push?: string;
  token?: string;
  private?: boolean;
  json?: boolean;
}

const EXAMPLES = `
The folder has what sentence-transformers and Transformers.js load: safetensors, tokenizer, pooling, ONNX in 32 bits
(onnx/model.onnx) and in 8 bits (onnx/model_quantized.onnx, dtype: 'q8' in Transformers.js), and a model card.

Examples:
  nearmiss export runs/mine                                            writes mine-model
  nearmiss export runs/mine --out models/mine --license apache-2.0
  nearmiss export runs/mine --push user/name --dataset user/questions  asks for HF_TOKEN in the environment

--push makes the repository where there is none, and one commit in it. HF_ENDPOINT names another hub than huggingface.co.`;

export const registerExport: RegisterCommand = (program) => {
  program
    .command('export')
    .summary('write a model for other tools, or put it on a hub')
    .description("Writes a run's best model with ONNX exports in 32 and 8 bits and a model card.")
    .argument('<model>', 'a run, or a model folder')
    .option('--out <folder>', 'where to (default: NAME-model)')
    .option(
      '--license <id>',
      "for the card, e.g. apache-2.0 (default: the base model's where known, else other)",
    )
    .option('--base-model <id>', 'for the card: hub id of the model that training started from')
    .option('--dataset <id>', 'for the card: hub id of the data (repeatable)', repeated)
    .option('--overwrite', 'replace a model of that name')
    .option('--push <user/name>', 'put it on the Hugging Face hub')
    .option('--token <token>', 'with --push: access token with the right to write (default: HF_TOKEN)')
    .option('--private', 'with --push: a new repository is private')
    .option('--json', 'print what was done as JSON')
    .addHelpText('after', EXAMPLES)
    .action(exportCommand);
};

async function exportCommand(path: string, options: ExportFlags): Promise<void> {
  const {
    out = `${basename(path)}-model`,
    license,
    baseModel,
    dataset,
    overwrite,
    push,
    token,
    json,
  } = options;
  if (push === undefined && (token !== undefined || options.private)) {
    throw new UsageError('--token and --private say how to push', { hint: 'add --push user/name' });
  }
  const [{ bestModel }, { exportModel }] = await Promise.all([
    import('../../run/best-model.js'),
    import('../../model/folder/export-model.js'),
  ]);
  const facts = {
    ...(license !== undefined && { license }),
    ...(baseModel !== undefined && { baseModel }),
    ...(dataset && { datasets: dataset }),
  };
  await exportModel(await bestModel(path), out, { ...facts, overwrite });
  if (push === undefined) {
    if (json) printJson({ folder: out });
    else
      print(`${out}: ${join('onnx', 'model.onnx')}, ${join('onnx', 'model_quantized.onnx')}, README.md …\n`);
    return;
  }
  const { pushModel } = await import('../../model/hub/push-model.js');
  const pushed = await pushModel(out, push, {
    ...(token !== undefined && { token }),
    private: options.private,
    onFile: (name, bytes) => tell(`upload ${name} (${(bytes / 1e6).toFixed(1)} MB)\n`),
  });
  if (json) printJson({ folder: out, ...pushed });
  else print(`${pushed.url} (commit ${pushed.commit})\n`);
}
