import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { hasCode, NearmissError } from '../base/errors.js';

/** Unigram has a list of [token, score], the others have token → id. */
type Vocabulary = Record<string, number> | [token: string, score: number][];

/** Its entries, often hundreds of thousands, are left to the library to check. */
const vocabulary = z.custom<Vocabulary>(
  (value) => typeof value === 'object' && value !== null,
  'expected the tokens with their ids or scores',
);

/** The fields of `tokenizer.json` that nearmiss reads; everything else travels untouched. */
const tokenizerJson = z.looseObject({
  added_tokens: z
    .array(z.looseObject({ id: z.number(), content: z.string() }))
    .nullish()
    .transform((tokens) => tokens ?? []),
  normalizer: z.looseObject({ type: z.string() }).nullish(),
  pre_tokenizer: z.looseObject({ type: z.string() }).nullish(),
  model: z.looseObject({
    // Absent in files of early versions of the library, whose models are recognised by their fields.
    type: z.string().optional(),
    unk_token: z.string().nullish(),
    unk_id: z.number().nullish(),
    vocab: vocabulary,
  }),
});

export type TokenizerJson = z.infer<typeof tokenizerJson>;

/** What a folder holds for its tokenizer: the raw texts, so that saving loses nothing, and their content. */
export interface TokenizerFiles {
  /** Where it was read, for error messages. */
  origin: string;
  json: string;
  parsed: TokenizerJson;
  /** `tokenizer_config.json` as it was found. */
  config?: string;
  /** `special_tokens_map.json` as it was found. */
  specialTokensMap?: string;
}

/** Reads `tokenizer.json`, given itself or its folder, and its companions where they lie beside it. */
export async function readTokenizerFiles(path: string): Promise<TokenizerFiles> {
  const file = (await isFolder(path)) ? join(path, 'tokenizer.json') : path;
  const json = await readOptional(file);
  if (json === undefined) {
    throw new NearmissError(`${file}: no such file`, {
      hint: 'name a Hugging Face model folder with a tokenizer.json; a folder that has only vocab.txt is converted in Python with AutoTokenizer.from_pretrained(folder).save_pretrained(folder)',
    });
  }
  return {
    origin: file,
    json,
    parsed: parseTokenizerJson(json, file),
    config: await readOptional(join(dirname(file), 'tokenizer_config.json')),
    specialTokensMap: await readOptional(join(dirname(file), 'special_tokens_map.json')),
  };
}

/** Checks the fields nearmiss relies on; `origin` is named in errors. */
export function parseTokenizerJson(json: string, origin: string): TokenizerJson {
  const result = tokenizerJson.safeParse(parseJson(json, origin));
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw new NearmissError(`${origin}: field "${issue.path.join('.')}": ${issue.message}`, {
    hint: 'expected a tokenizer.json as the Hugging Face tokenizers library writes it',
  });
}

/** Parses JSON; what is wrong is told with the file's name. */
export function parseJson(text: string, origin: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new NearmissError(`${origin}: not valid JSON: ${(error as Error).message}`, {
      hint: 'the file is damaged: copy or download it again',
      cause: error,
    });
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

async function readOptional(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw new NearmissError(`${path}: cannot read: ${(error as Error).message}`, {
      hint: 'check that you may read the file',
      cause: error,
    });
  }
}
