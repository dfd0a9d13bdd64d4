import { parseJson, type TokenizerFiles } from './tokenizer-files.js';

/** What a special token is for. */
export type SpecialRole = 'cls' | 'sep' | 'pad' | 'mask' | 'unk';

export interface SpecialToken {
  token: string;
  id: number;
}

/** The special tokens of a tokenizer; a role that it does not have is absent. */
export type SpecialTokens = { readonly [role in SpecialRole]?: SpecialToken };

/** BERT's and RoBERTa's names, for a tokenizer.json that comes without its companions. */
const USUAL_NAMES: Record<SpecialRole, readonly string[]> = {
  cls: ['[CLS]', '<s>'],
  sep: ['[SEP]', '</s>'],
  pad: ['[PAD]', '<pad>'],
  mask: ['[MASK]', '<mask>'],
  unk: ['[UNK]', '<unk>'],
};

export const SPECIAL_ROLES = Object.keys(USUAL_NAMES) as SpecialRole[];

/**
 * Finds the special tokens: as declared in `special_tokens_map.json` or `tokenizer_config.json`, as the
 * model names its unknown token, or else by their usual names. Names outside the vocabulary do not count.
 */
export function findSpecialTokens(
  files: TokenizerFiles,
  idOf: (token: string) => number | null,
): SpecialTokens {
  const declarations = [
    declared(files.specialTokensMap, `${files.origin}: special_tokens_map.json`),
    declared(files.config, `${files.origin}: tokenizer_config.json`),
  ];
  const found: { [role in SpecialRole]?: SpecialToken } = {};
  for (const role of SPECIAL_ROLES) {
    const names = declarations.map((declaration) => tokenName(declaration[`${role}_token`]));
    if (role === 'unk') names.push(unknownTokenOfModel(files));
    names.push(...USUAL_NAMES[role]);
    for (const token of names) {
      const id = token === undefined ? null : idOf(token);
      if (id === null) continue;
      found[role] = { token: token as string, id };
      break;
    }
  }
  return found;
}

function declared(json: string | undefined, origin: string): Record<string, unknown> {
  const content = json === undefined ? undefined : parseJson(json, origin);
  return typeof content === 'object' && content !== null ? (content as Record<string, unknown>) : {};
}

/** Written as `"[CLS]"` or as `{ "content": "[CLS]", … }`. */
function tokenName(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || !('content' in value)) return undefined;
  return typeof value.content === 'string' ? value.content : undefined;
}

function unknownTokenOfModel({ parsed: { model } }: TokenizerFiles): string | undefined {
  if (model.unk_token) return model.unk_token;
  if (typeof model.unk_id !== 'number' || !Array.isArray(model.vocab)) return undefined;
  return model.vocab[model.unk_id]?.[0];
}
