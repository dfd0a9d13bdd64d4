import { NearmissError } from '../base/errors.js';
import { SPECIAL_ROLES, type SpecialTokens } from './special-tokens.js';
import { parseJson, type TokenizerFiles, type TokenizerJson } from './tokenizer-files.js';

/** Lengths above this are Transformers' way to say "none given" (it writes 1e30). */
const LARGEST_LENGTH = 1e9;

/** The longest input the model takes, as `tokenizer_config.json` states it. */
export function declaredMaxLength(files: TokenizerFiles): number | undefined {
  if (files.config === undefined) return undefined;
  const value = parseConfig(files.config, files.origin).model_max_length;
  return typeof value === 'number' && value <= LARGEST_LENGTH ? value : undefined;
}

/**
 * The text of `tokenizer_config.json`: as it was found where there was one, otherwise made up so that
 * Transformers and Transformers.js load the same tokenizer. `maxLength` replaces `model_max_length`.
 */
export function tokenizerConfig(files: TokenizerFiles, special: SpecialTokens, maxLength?: number): string {
  if (files.config !== undefined && (maxLength === undefined || maxLength === declaredMaxLength(files))) {
    return files.config;
  }
  const config =
    files.config === undefined ? newConfig(files.parsed, special) : parseConfig(files.config, files.origin);
  if (maxLength !== undefined) config.model_max_length = maxLength;
  return `${JSON.stringify(config, null, 2)}\n`;
}

function parseConfig(json: string, origin: string): Record<string, unknown> {
  const config = parseJson(json, `${origin}: tokenizer_config.json`);
  if (typeof config === 'object' && config !== null) return config as Record<string, unknown>;
  throw new NearmissError(`${origin}: tokenizer_config.json: expected an object`, {
    hint: 'remove the file, or copy it again from where the model came from',
  });
}

function newConfig(parsed: TokenizerJson, special: SpecialTokens): Record<string, unknown> {
  const config: Record<string, unknown> = { tokenizer_class: tokenizerClass(parsed, special) };
  for (const role of SPECIAL_ROLES) if (special[role]) config[`${role}_token`] = special[role].token;
  const normalizer = parsed.normalizer;
  if (normalizer?.type === 'BertNormalizer') {
    // Transformers overrides the normalizer with these, whose defaults are those of the uncased model.
    config.do_lower_case = normalizer.lowercase;
    config.strip_accents = normalizer.strip_accents;
    config.tokenize_chinese_chars = normalizer.handle_chinese_chars;
  }
  config.clean_up_tokenization_spaces = true;
  return config;
}

function tokenizerClass({ model, normalizer }: TokenizerJson, special: SpecialTokens): string {
  const robertaNames = special.cls?.token === '<s>' && special.sep?.token === '</s>';
  if (model.type === 'WordPiece' && normalizer?.type === 'BertNormalizer') return 'BertTokenizer';
  if (model.type === 'BPE' && robertaNames) return 'RobertaTokenizer';
  if (model.type === 'Unigram' && robertaNames) return 'XLMRobertaTokenizer';
  return 'PreTrainedTokenizerFast';
}
