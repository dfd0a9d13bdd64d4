import { join } from 'node:path';
import { z } from 'zod';
import { NearmissError } from '../../base/errors.js';
import { exists } from '../../base/files.js';
import { readJsonFile } from '../../base/json-file.js';
import type { Tokenizer } from '../../text/tokenizer.js';
import { punctuationOf, type ResolvedTokens } from '../representation/tokens.js';

/** How a model of late interaction reads its texts, as its files say it: tokens by name. */
export interface TokenSettings {
  /** The file that says so, and its names of the two markers, for errors. */
  file: string;
  fields: { query: string; document: string };
  queryMarker: string | false;
  documentMarker: string | false;
  /** Queries are filled up to so many tokens; 0: not. */
  fillQueries: number;
  /** Most tokens of a query and of a document, marker included; where nothing is said, what the model allows. */
  queryLength?: number;
  documentLength?: number;
  attendToMasks: boolean;
  /** Tokens of documents that get no row. */
  skip: 'punctuation' | readonly string[];
}

/** ColBERT's own file of settings, beside the weights. */
export const COLBERT_METADATA = 'artifact.metadata';

const length = z.int().min(1).nullish();

const colbertSchema = z.looseObject({
  query_token_id: z.string().nullish(),
  doc_token_id: z.string().nullish(),
  query_maxlen: length,
  doc_maxlen: length,
  mask_punctuation: z.boolean().nullish(),
  attend_to_mask_tokens: z.boolean().nullish(),
  similarity: z.string().nullish(),
});

/** Reads `artifact.metadata`; what it does not say is as ColBERT's code has it. */
export async function readColbertSettings(folder: string): Promise<TokenSettings> {
  const file = join(folder, COLBERT_METADATA);
  const metadata = (await exists(file)) ? await readJsonFile(file, colbertSchema) : {};
  const similarity = metadata.similarity ?? 'cosine';
  if (similarity !== 'cosine') {
    throw new NearmissError(`${file}: field "similarity": expected cosine, got ${similarity}`, {
      hint: 'nearmiss compares tokens by their cosine; choose another checkpoint',
    });
  }
  return {
    file,
    fields: { query: 'query_token_id', document: 'doc_token_id' },
    queryMarker: metadata.query_token_id ?? '[unused0]',
    documentMarker: metadata.doc_token_id ?? '[unused1]',
    fillQueries: metadata.query_maxlen ?? 32,
    documentLength: metadata.doc_maxlen ?? 220,
    attendToMasks: metadata.attend_to_mask_tokens ?? false,
    skip: (metadata.mask_punctuation ?? true) ? 'punctuation' : [],
  };
}

const pylateSchema = z.looseObject({
  query_prefix: z.string().nullish(),
  document_prefix: z.string().nullish(),
  query_length: length,
  document_length: length,
  do_query_expansion: z.boolean().nullish(),
  attend_to_expansion_tokens: z.boolean().nullish(),
  skiplist_words: z.array(z.string()).nullish(),
  similarity_fn_name: z.string().nullish(),
});

/** Any of them says that the folder is PyLate's. */
const PYLATE_FIELDS = Object.keys(pylateSchema.shape).filter((field) => field !== 'similarity_fn_name');

const expansionSchema = z.looseObject({
  strategy: z.string(),
  attend: z.boolean().nullish(),
  token: z.string().nullish(),
  length: z.int().min(1).nullish(),
});

const transformerSchema = z.looseObject({
  query_length: length,
  document_length: length,
  query_expansion: expansionSchema.nullish(),
});

const maskSchema = z.looseObject({
  skiplist_words: z.array(z.string()).nullish(),
  skiplist_tasks: z.union([z.string(), z.array(z.string())]).nullish(),
  keep_only_token_ids: z.array(z.int()).nullish(),
});

/**
 * Reads the settings of a folder with `modules.json` whose rows are tokens: PyLate's lie in
 * `config_sentence_transformers.json`, those of sentence-transformers 6 with its modules.
 *
 * @param mask the folder of the module MultiVectorMask, where there is one
 */
export async function readLateSettings(
  folder: string,
  { transformer, mask }: { transformer: string; mask?: string },
): Promise<TokenSettings> {
  const file = join(folder, 'config_sentence_transformers.json');
  const config: z.infer<typeof pylateSchema> = (await exists(file))
    ? await readJsonFile(file, pylateSchema)
    : {};
  const similarity = config.similarity_fn_name ?? 'MaxSim';
  // PyLate before 1.1 left the name that sentence-transformers gives by default.
  if (!['maxsim', 'cosine'].includes(similarity.toLowerCase())) {
    throw new NearmissError(`${file}: field "similarity_fn_name": expected MaxSim, got "${similarity}"`, {
      hint: 'nearmiss compares the tokens of such a model by MaxSim; choose another model',
    });
  }
  if (PYLATE_FIELDS.some((field) => config[field] !== undefined)) return pylateSettings(file, config);
  return moduleSettings(join(folder, transformer), mask === undefined ? undefined : join(folder, mask));
}

/** What a folder of PyLate does not say is as its code has it. */
function pylateSettings(file: string, config: z.infer<typeof pylateSchema>): TokenSettings {
  const queryLength = config.query_length ?? 32;
  const fills = config.do_query_expansion ?? true;
  return {
    file,
    fields: { query: 'query_prefix', document: 'document_prefix' },
    queryMarker: (config.query_prefix ?? '[Q] ') || false,
    documentMarker: (config.document_prefix ?? '[D] ') || false,
    fillQueries: fills ? queryLength : 0,
    queryLength,
    documentLength: config.document_length ?? 180,
    attendToMasks: fills && (config.attend_to_expansion_tokens ?? false),
    skip: config.skiplist_words ?? 'punctuation',
  };
}

/** Everything is off unless it is said; markers, where there are any, are prompts. */
async function moduleSettings(transformer: string, mask: string | undefined): Promise<TokenSettings> {
  const file = join(transformer, 'sentence_bert_config.json');
  const config = (await exists(file)) ? await readJsonFile(file, transformerSchema) : {};
  const expansion = config.query_expansion ?? undefined;
  const refuse = (path: string, field: string, expected: string, got: unknown): NearmissError =>
    new NearmissError(`${path}: field "${field}": expected ${expected}, got ${JSON.stringify(got)}`, {
      hint: 'nearmiss reads models of late interaction over texts; choose another model',
    });
  if (expansion && !['fixed', 'min'].includes(expansion.strategy)) {
    throw refuse(file, 'query_expansion.strategy', 'fixed or min', expansion.strategy);
  }
  if (expansion?.token && expansion.token !== '[MASK]' && expansion.token !== '<mask>') {
    throw refuse(file, 'query_expansion.token', 'null (the mask token)', expansion.token);
  }
  const fillQueries = expansion ? (expansion.length ?? 32) : 0;
  // `min` fills up and does not cut: what is longer stays as long as query_length, or the model, allows.
  const most = config.query_length ?? (expansion ? Number.MAX_SAFE_INTEGER : undefined);
  const queryLength = expansion?.strategy === 'fixed' ? fillQueries : most;
  const maskFile = mask === undefined ? undefined : join(mask, 'config.json');
  const masks = maskFile && (await exists(maskFile)) ? await readJsonFile(maskFile, maskSchema) : {};
  const tasks = [masks.skiplist_tasks ?? 'document'].flat();
  if (masks.skiplist_words?.length && !(tasks.length === 1 && tasks[0] === 'document')) {
    throw refuse(maskFile!, 'skiplist_tasks', '["document"]', masks.skiplist_tasks);
  }
  if (masks.keep_only_token_ids?.length) {
    throw refuse(maskFile!, 'keep_only_token_ids', 'null', masks.keep_only_token_ids);
  }
  return {
    file,
    fields: { query: 'prompts.query', document: 'prompts.document' },
    queryMarker: false,
    documentMarker: false,
    fillQueries,
    ...(queryLength && { queryLength: Math.max(queryLength, fillQueries) }),
    ...(config.document_length && { documentLength: config.document_length }),
    attendToMasks: expansion?.attend ?? false,
    skip: masks.skiplist_words ?? [],
  };
}

/** Tokens that a text may have before markers are put in, so that neither side is cut too short. */
export function textLength(settings: TokenSettings, longest: number): number {
  const query = settings.queryLength ?? (settings.fillQueries || longest);
  return Math.min(
    longest,
    Math.max(
      bare(query, settings.queryMarker),
      bare(settings.documentLength ?? longest, settings.documentMarker),
    ),
  );
}

const bare = (tokens: number, marker: string | false): number => (marker === false ? tokens : tokens - 1);

/** Settings by the numbers of tokens, as a model keeps them. */
export function resolveTokenSettings(
  settings: TokenSettings,
  { tokenizer, maxPositions }: { tokenizer: Tokenizer; maxPositions: number },
): ResolvedTokens {
  const { fillQueries, queryLength, documentLength, attendToMasks, skip } = settings;
  const mask = tokenizer.specialTokens.mask?.id;
  if (fillQueries > 0 && mask === undefined) {
    throw new NearmissError(
      `${settings.file}: queries are to be filled up, but the tokenizer has no mask token`,
      {
        hint: 'the tokenizer belongs to another model',
      },
    );
  }
  const cut = textLength(settings, maxPositions);
  return {
    queryMarker: markerOf(tokenizer, settings, 'query'),
    documentMarker: markerOf(tokenizer, settings, 'document'),
    fillQueries,
    maskToken: mask ?? tokenizer.padId,
    attendToMasks,
    // A word that is no token stands for none: PyLate takes it for the unknown token and drops all of these.
    skip:
      skip === 'punctuation' ? punctuationOf(tokenizer) : skip.flatMap((word) => tokenizer.id(word) ?? []),
    longest: maxPositions,
    ...(queryLength !== undefined &&
      queryLength !== fillQueries && { queryLength: Math.min(queryLength, maxPositions) }),
    // Where documents are the longer side, the model's own limit cuts them.
    ...(documentLength !== undefined &&
      bare(documentLength, settings.documentMarker) < cut && { documentLength }),
  };
}

function markerOf(tokenizer: Tokenizer, settings: TokenSettings, side: 'query' | 'document'): number | false {
  const marker = side === 'query' ? settings.queryMarker : settings.documentMarker;
  if (marker === false) return false;
  const id = tokenizer.id(marker);
  if (id !== undefined) return id;
  throw new NearmissError(
    `${settings.file}: field "${settings.fields[side]}": the tokenizer has no token "${marker}"`,
    { hint: 'the tokenizer belongs to another model, or its added tokens are missing from tokenizer.json' },
  );
}
