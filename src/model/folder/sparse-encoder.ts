import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { NearmissError } from '../../base/errors.js';
import { readJsonFile, writeJsonFile } from '../../base/json-file.js';
import type { Tokenizer } from '../../text/tokenizer.js';
import type { EncoderConfig } from '../encoder/config.js';
import type { HeadDescription } from '../encoder/head.js';
import { SafetensorsFile, writeSafetensors } from '../tensors/safetensors.js';
import { ROUTER_FILE, type SparseModules } from './modules-json.js';
import type { TextFiles } from './sentence-transformers-writer.js';

/** Where sentence-transformers has the modules of sparse encoders. */
const PACKAGE = 'sentence_transformers.sparse_encoder.models';
const POOLING_FOLDER = '1_SpladePooling';
const QUERY_FOLDER = 'query_0_SparseStaticEmbedding';

/** Writes what sentence-transformers' `SparseEncoder` loads, beside the files of a model that guesses words. */
export async function writeSparseFiles(
  folder: string,
  { vocabularySize }: Pick<EncoderConfig, 'vocabularySize'>,
  {
    maxSequenceLength,
    lowercase = false,
    prompts = {},
    plainQueries,
  }: TextFiles & { plainQueries?: Tokenizer },
): Promise<void> {
  if (plainQueries) await writeRouter(folder, vocabularySize, plainQueries);
  else {
    await writeJsonFile(join(folder, 'modules.json'), [
      { idx: 0, name: '0', path: '', type: `${PACKAGE}.MLMTransformer` },
      { idx: 1, name: '1', path: POOLING_FOLDER, type: `${PACKAGE}.SpladePooling` },
    ]);
  }
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

/** Queries go through weights of 1, documents through the model in this very folder (`.`) and its pooling. */
async function writeRouter(folder: string, vocabularySize: number, tokenizer: Tokenizer): Promise<void> {
  await writeJsonFile(join(folder, 'modules.json'), [
    { idx: 0, name: '0', path: '', type: 'sentence_transformers.models.Router' },
  ]);
  await writeJsonFile(join(folder, ROUTER_FILE), {
    types: {
      [QUERY_FOLDER]: `${PACKAGE}.SparseStaticEmbedding`,
      '.': `${PACKAGE}.MLMTransformer`,
      [POOLING_FOLDER]: `${PACKAGE}.SpladePooling`,
    },
    structure: { query: [QUERY_FOLDER], document: ['.', POOLING_FOLDER] },
    parameters: { default_route: 'document', allow_empty_key: true },
  });
  const place = join(folder, QUERY_FOLDER);
  await mkdir(place, { recursive: true });
  await writeJsonFile(join(place, 'config.json'), { frozen: true });
  const ones = new Float32Array(vocabularySize).fill(1);
  await writeSafetensors(join(place, 'model.safetensors'), [
    { name: 'weight', shape: [vocabularySize], data: ones },
  ]);
  await tokenizer.save(place);
}

const poolingSchema = z.looseObject({
  pooling_strategy: z.string().default('max'),
  activation_function: z.string().default('relu'),
});

/** The head of a sparse encoder; fails where it pools otherwise than SPLADE's max. */
export async function readSparseHead(
  folder: string,
  { SpladePooling: pooling, SparseStaticEmbedding: query }: SparseModules,
): Promise<HeadDescription> {
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
  if (query !== undefined) await requirePlainQueries(join(folder, query));
  const name = query === undefined ? 'vocabulary' : 'document-vocabulary';
  return { pooling: name, normalize: false, similarity: 'dot' };
}

/** Fails where tokens of queries weigh otherwise than 1. */
async function requirePlainQueries(folder: string): Promise<void> {
  const path = join(folder, 'model.safetensors');
  const file = await SafetensorsFile.open(path);
  try {
    const other = (await file.read('weight')).find((weight) => weight !== 1);
    if (other === undefined) return;
    throw new NearmissError(`${path}: tensor "weight": expected 1 for every token, got ${other}`, {
      hint: 'nearmiss reads models whose queries are plain tokens; choose another model',
    });
  } finally {
    await file.close();
  }
}
