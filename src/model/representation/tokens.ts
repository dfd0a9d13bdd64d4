import { z } from 'zod';
import { NearmissError } from '../../base/errors.js';
import { oneOf, text as textSetting, truth, whole } from '../../base/settings.js';
import type { Tokenizer } from '../../text/tokenizer.js';
import type { TokenizedText } from '../encoder/tokenized-texts.js';
import { type RepresentationContext, representationKind } from './representation.js';

/** Options of a model whose rows are its tokens, by the numbers of tokens. */
export interface ResolvedTokens {
  /** Put behind the first token of a query, of a document. */
  queryMarker: number | false;
  documentMarker: number | false;
  /** Queries are filled up to so many tokens with `maskToken`; longer ones are cut. 0: left as they are. */
  fillQueries: number;
  maskToken: number;
  /** Whether other tokens may look at those that a query was filled up with. */
  attendToMasks: boolean;
  /** Tokens of documents that get no row. */
  skip: readonly number[];
  /** Most tokens that the model's positions allow. */
  longest: number;
  /** Most tokens of a query, where queries are not cut to `fillQueries`. */
  queryLength?: number;
  /** Most tokens of a document, where queries may have more. */
  documentLength?: number;
}

function marker(name: string) {
  const expected = 'a token, or false';
  return z
    .union([textSetting(expected), z.literal(false)], { error: expected })
    .meta({ expected })
    .default(name);
}

/** ColBERT (Khattab & Zaharia 2020): a row for every token. */
export const tokensKind = representationKind({
  name: 'tokens',
  description: "every token's state (ColBERT)",
  options: {
    queryMarker: marker('[unused0]').describe('token put behind the first one of a query'),
    documentMarker: marker('[unused1]').describe('token put behind the first one of a document'),
    fillQueries: whole(0)
      .default(32)
      .describe('tokens that every query is filled up to with `[MASK]`, longer ones are cut; 0: as they are'),
    attendToMasks: truth()
      .default(false)
      .describe('whether other tokens see those that a query was filled up with'),
    skip: oneOf('punctuation', 'none')
      .default('punctuation')
      .describe('tokens of documents that get no row: they are read, but not kept'),
  },
  sided: true,
  scorer: 'max-sim',
  resolve: (options, context) => ({ ...resolveTokens(options, context) }),
  create(options, side) {
    const resolved = options as unknown as ResolvedTokens;
    if (side === 'queries') return { read: (text) => readQuery(text, resolved), tokens: allTokens };
    const skipped = new Set(resolved.skip);
    return {
      read: (text) => marked(text, resolved.documentMarker, resolved.documentLength ?? resolved.longest),
      tokens: (text) => keptTokens(text, skipped),
    };
  },
});

function resolveTokens(
  options: {
    queryMarker: string | false;
    documentMarker: string | false;
    fillQueries: number;
    attendToMasks: boolean;
    skip: 'punctuation' | 'none';
  },
  { tokenizer, maxPositions }: RepresentationContext,
): ResolvedTokens {
  const { fillQueries, attendToMasks } = options;
  const mask = tokenizer.specialTokens.mask?.id;
  if (fillQueries > 0 && mask === undefined) {
    throw new NearmissError('head.fillQueries: the tokenizer has no token [MASK] to fill queries up with', {
      hint: 'set model.head.fillQueries to 0',
    });
  }
  return {
    queryMarker: tokenOf(tokenizer, 'queryMarker', options.queryMarker),
    documentMarker: tokenOf(tokenizer, 'documentMarker', options.documentMarker),
    fillQueries,
    maskToken: mask ?? tokenizer.padId,
    attendToMasks,
    skip: options.skip === 'none' ? [] : punctuationOf(tokenizer),
    longest: maxPositions,
  };
}

function tokenOf(tokenizer: Tokenizer, option: string, token: string | false): number | false {
  if (token === false) return false;
  const id = tokenizer.id(token);
  if (id !== undefined) return id;
  throw new NearmissError(`head.${option}: the tokenizer has no token "${token}"`, {
    hint: `choose one that it has and that no text has, or set model.head.${option} to false`,
  });
}

/** The 32 punctuation characters of ASCII, as far as they are tokens. */
export function punctuationOf(tokenizer: Tokenizer): number[] {
  return [...'!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'].flatMap((character) => tokenizer.id(character) ?? []);
}

/** With a marker behind the first token, and cut to `most` tokens before the last one, which ends every text. */
function marked(
  { ids }: TokenizedText,
  marker: number | false,
  most: number,
): TokenizedText & { ids: number[] } {
  const list = Array.from(ids);
  if (marker !== false) list.splice(1, 0, marker);
  if (list.length > most) list.splice(most - 1, list.length - most);
  return { ids: list };
}

function readQuery(text: TokenizedText, options: ResolvedTokens): TokenizedText {
  const { fillQueries, maskToken, attendToMasks, longest } = options;
  const most = options.queryLength ?? (fillQueries > 0 ? fillQueries : longest);
  const { ids } = marked(text, options.queryMarker, Math.min(most, longest));
  const attended = ids.length;
  while (ids.length < Math.min(fillQueries, longest)) ids.push(maskToken);
  return attendToMasks || attended === ids.length ? { ids } : { ids, attended };
}

const allTokens = ({ ids }: TokenizedText): number[] => Array.from(ids, (_, token) => token);

/** The first token stays, whatever it is: no document is without a row. */
function keptTokens({ ids }: TokenizedText, skipped: ReadonlySet<number>): number[] {
  const kept: number[] = [];
  for (let token = 0; token < ids.length; token++) {
    if (token === 0 || !skipped.has(ids[token])) kept.push(token);
  }
  return kept;
}
