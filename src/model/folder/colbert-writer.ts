import { join } from 'node:path';
import { writeFileAtomic } from '../../base/files.js';
import { writeJsonFile } from '../../base/json-file.js';
import type { Tokenizer } from '../../text/tokenizer.js';
import type { EncoderConfig } from '../encoder/config.js';
import type { DenseLayer, HeadDescription } from '../encoder/head.js';
import { COLBERT_LINEAR } from '../encoder/plain-head.js';
import { punctuationOf, type ResolvedTokens } from '../representation/tokens.js';
import type { NamedTensor } from '../tensors/tensor.js';
import { type TextFiles, writeDense } from './sentence-transformers-writer.js';
import { COLBERT_METADATA } from './token-settings.js';

/** What a model of late interaction is to others. */
export interface LateForm {
  dense: DenseLayer;
  queryPrefix: string;
  documentPrefix: string;
  queryLength: number;
  documentLength: number;
  fills: boolean;
  attends: boolean;
  skipWords: readonly string[];
  /** Whether ColBERT's own code has a setting for everything that the model does. */
  colbert: boolean;
}

/** What is written besides the weights of an encoder. */
export interface LateFormOptions {
  head: HeadDescription;
  tokenizer: Tokenizer;
  /** Tokens kept of a text, markers not counted. */
  maxLength: number;
}

/**
 * A model as PyLate, sentence-transformers 6 and ColBERT read it; nothing for those that they have no form for: other
 * rows than tokens, no projection, a LayerNorm, rows of any length, queries that are filled up but not cut.
 */
export function lateFormOf({ head, tokenizer, maxLength }: LateFormOptions): LateForm | undefined {
  const { dense, layerNorm, normalize, pooling, poolingOptions } = head;
  if (pooling !== 'tokens' || !dense || layerNorm || !normalize) return undefined;
  const options = poolingOptions as unknown as ResolvedTokens;
  const { fillQueries, queryMarker, documentMarker, longest, attendToMasks } = options;
  const withMarker = (marker: number | false): number =>
    Math.min(longest, maxLength + Number(marker !== false));
  const fills = fillQueries > 0;
  if (fills && options.queryLength !== undefined) return undefined;
  const punctuation = punctuationOf(tokenizer);
  const skipsPunctuation =
    options.skip.length === punctuation.length && punctuation.every((id) => options.skip.includes(id));
  return {
    dense,
    queryPrefix: textOf(tokenizer, queryMarker),
    documentPrefix: textOf(tokenizer, documentMarker),
    queryLength: fills ? fillQueries : (options.queryLength ?? withMarker(queryMarker)),
    documentLength: options.documentLength ?? withMarker(documentMarker),
    fills,
    attends: attendToMasks,
    skipWords: options.skip.map((id) => textOf(tokenizer, id)),
    colbert:
      fills &&
      !dense.bias &&
      queryMarker !== false &&
      documentMarker !== false &&
      (skipsPunctuation || options.skip.length === 0),
  };
}

const textOf = (tokenizer: Tokenizer, id: number | false): string =>
  id === false ? '' : (tokenizer.token(id) ?? '');

/** `config.json` as ColBERT's code looks for it. */
export function lateConfig(config: Record<string, unknown>, { colbert }: LateForm): Record<string, unknown> {
  return colbert ? { ...config, architectures: ['HF_ColBERT'] } : config;
}

/** The encoder's weights under ColBERT's names, which Transformers takes for a BERT's all the same. */
export function lateTensors(
  tensors: readonly NamedTensor[],
  { architecture }: EncoderConfig,
  { colbert, dense }: LateForm,
): NamedTensor[] {
  if (!colbert) return [...tensors];
  return [
    ...tensors.map((tensor) => ({ ...tensor, name: `${architecture}.${tensor.name}` })),
    { name: COLBERT_LINEAR, shape: [dense.out, dense.in], data: dense.weight },
  ];
}

/** Writes `modules.json` and what it names in PyLate's form, and ColBERT's `artifact.metadata`. */
export async function writeLateFiles(
  folder: string,
  form: LateForm,
  { prompts = {}, lowercase = false, maxSequenceLength }: TextFiles,
): Promise<void> {
  const place = '1_Dense';
  await writeJsonFile(join(folder, 'modules.json'), [
    { idx: 0, name: '0', path: '', type: 'sentence_transformers.models.Transformer' },
    { idx: 1, name: '1', path: place, type: 'pylate.models.Dense.Dense' },
  ]);
  await writeJsonFile(join(folder, 'config_sentence_transformers.json'), {
    prompts,
    default_prompt_name: null,
    similarity_fn_name: 'MaxSim',
    query_prefix: form.queryPrefix,
    document_prefix: form.documentPrefix,
    query_length: form.queryLength,
    document_length: form.documentLength,
    attend_to_expansion_tokens: form.attends,
    skiplist_words: form.skipWords,
    do_query_expansion: form.fills,
  });
  await writeJsonFile(join(folder, 'sentence_bert_config.json'), {
    max_seq_length: maxSequenceLength ?? null,
    do_lower_case: lowercase,
  });
  await writeDense(join(folder, place), form.dense);
  if (form.colbert) await writeFileAtomic(join(folder, COLBERT_METADATA), colbertMetadata(form));
}

function colbertMetadata(form: LateForm): string {
  const metadata = {
    query_token_id: form.queryPrefix,
    doc_token_id: form.documentPrefix,
    query_token: '[Q]',
    doc_token: '[D]',
    query_maxlen: form.queryLength,
    doc_maxlen: form.documentLength,
    attend_to_mask_tokens: form.attends,
    mask_punctuation: form.skipWords.length > 0,
    dim: form.dense.out,
    similarity: 'cosine',
  };
  return `${JSON.stringify(metadata, null, 2)}\n`;
}
