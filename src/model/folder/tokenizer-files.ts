import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { NearmissError } from '../../base/errors.js';
import { exists } from '../../base/files.js';
import { readJsonFile, writeJsonFile } from '../../base/json-file.js';
import { type EncoderConfig, type ModelType, maxInputLength } from '../encoder/config.js';

/** Everything that a tokenizer may consist of, in the order in which people look for it. */
export const TOKENIZER_FILES = [
  'tokenizer.json',
  'tokenizer_config.json',
  'special_tokens_map.json',
  'added_tokens.json',
  'vocab.txt',
  'vocab.json',
  'merges.txt',
  'sentencepiece.bpe.model',
];

const TOKENIZER_CLASSES: Record<ModelType, string> = {
  bert: 'BertTokenizer',
  roberta: 'RobertaTokenizer',
  'xlm-roberta': 'XLMRobertaTokenizer',
  camembert: 'CamembertTokenizer',
};

export interface TokenizerTarget {
  /** Where the tokenizer is now. */
  from: string;
  /** Where the model is being written. */
  to: string;
  config: EncoderConfig;
  maxSequenceLength?: number;
}

/** Copies a tokenizer beside a model, adding the `tokenizer_config.json` that Transformers.js insists on. */
export async function copyTokenizer({ from, to, config, maxSequenceLength }: TokenizerTarget): Promise<void> {
  if (!(await exists(join(from, 'tokenizer.json')))) {
    throw new NearmissError(`${join(from, 'tokenizer.json')}: no such file`, {
      hint: 'a model is of no use without its tokenizer: name the folder that holds it',
    });
  }
  for (const name of TOKENIZER_FILES) {
    if (await exists(join(from, name))) await copyFile(join(from, name), join(to, name));
  }
  const path = join(to, 'tokenizer_config.json');
  if (await exists(path)) return;
  const modelType = config.modelType ?? config.architecture;
  await writeJsonFile(path, {
    tokenizer_class: TOKENIZER_CLASSES[modelType],
    model_max_length: maxSequenceLength ?? maxInputLength(config),
    ...(modelType === 'bert' && (await bertNormalization(join(to, 'tokenizer.json')))),
  });
}

const tokenizerSchema = z.looseObject({
  normalizer: z
    .looseObject({
      lowercase: z.boolean().optional(),
      strip_accents: z.boolean().nullish(),
      handle_chinese_chars: z.boolean().optional(),
    })
    .nullish(),
});

/** Transformers' BertTokenizer overrides tokenizer.json by these, and its defaults are those of uncased models. */
async function bertNormalization(path: string): Promise<object> {
  const { normalizer } = await readJsonFile(path, tokenizerSchema);
  return {
    do_lower_case: normalizer?.lowercase ?? false,
    strip_accents: normalizer?.strip_accents ?? null,
    tokenize_chinese_chars: normalizer?.handle_chinese_chars ?? true,
  };
}
