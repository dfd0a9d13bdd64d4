import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { NearmissError } from '../../base/errors.js';
import { readJsonFile, writeJsonFile } from '../../base/json-file.js';
import type { EncoderConfig } from '../encoder/config.js';
import type { HeadDescription } from '../encoder/head.js';
import type { TextFiles } from './sentence-transformers-writer.js';

/** Where sentence-transformers has the modules of sparse encoders. */
const PACKAGE = 'sentence_transformers.sparse_encoder.models';
const POOLING_FOLDER = '1_SpladePooling';

/** Writes what sentence-transformers' `SparseEncoder` loads, beside the files of a model that guesses words. */
export async function writeSparseFiles(
  folder: string,
  { vocabularySize }: Pick<EncoderConfig, 'vocabularySize'>,
  { maxSequenceLength, lowercase = false, prompts = {} }: TextFiles,
): Promise<void> {
  await writeJsonFile(join(folder, 'modules.json'), [
    { idx: 0, name: '0', path: '', type: `${PACKAGE}.MLMTransformer` },
    { idx: 1, name: '1', path: POOLING_FOLDER, type: `${PACKAGE}.SpladePooling` },
  ]);
  await writeJsonFile(join(folder, 'config_sentence_transformers.json'), {
    model_type: 'SparseEncoder',
    prompts: { query: '', document: '', ...prompts },
    default_prompt_name: null,
    similarity_fn_name: 'dot',
  });
  await writeJsonFile(join(folder, 'sentence_bert_config.json'), {
    max_seq_length: maxSequenceLength ?? null,
    do_lower_case: lowercase,
  });
  await mkdir(join(folder, POOLING_FOLDER), { recursive: true });
  await writeJsonFile(join(folder, POOLING_FOLDER, 'config.json'), {
    pooling_strategy: 'max',
    activation_function: 'relu',
    word_embedding_dimension: vocabularySize,
  });
}

const poolingSchema = z.looseObject({
  pooling_strategy: z.string().default('max'),
  activation_function: z.string().default('relu'),
});

/** The head of a sparse encoder; fails where it pools otherwise than SPLADE's max. */
export async function readSparseHead(folder: string, pooling: string): Promise<HeadDescription> {
  const path = join(folder, pooling, 'config.json');
  const config = await readJsonFile(path, poolingSchema);
  for (const [field, expected] of [
    ['pooling_strategy', 'max'],
    ['activation_function', 'relu'],
  ] as const) {
    if (config[field] === expected) continue;
    throw new NearmissError(`${path}: field "${field}": expected ${expected}, got ${config[field]}`, {
      hint: 'nearmiss reads SPLADE models with max pooling; choose another model',
    });
  }
  return { pooling: 'vocabulary', normalize: false, similarity: 'dot' };
}
