import { Tokenizer as NativeTokenizer } from 'tokenizers';
import { describe, NearmissError } from '../base/errors.js';
import { Tokenizer } from './tokenizer.js';
import { countWords, MAX_WORD_CHARACTERS } from './word-counts.js';
import { CONTINUATION, learnVocabulary } from './wordpiece-vocabulary.js';

export interface TrainTokenizerOptions {
  /** How many tokens the vocabulary has, the five special ones included; fewer if the texts yield no more. Default 30,000. */
  vocabularySize?: number;
  /** Fold case and strip accents, as BERT "uncased" does. Default true. */
  lowercase?: boolean;
  /** Two tokens become one only if they meet this often. Default 2. */
  minFrequency?: number;
  /** The share of all characters that are in the vocabulary; rarer ones become unknown. Default 0.9999. */
  characterCoverage?: number;
  /** No progress on stderr. */
  quiet?: boolean;
}

const SPECIAL = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'] as const;

/** Less cannot hold the special tokens and one character's two forms. */
const SMALLEST_VOCABULARY = SPECIAL.length + 2;

/**
 * Trains a WordPiece tokenizer of BERT's kind on texts: `[PAD] [UNK] [CLS] [SEP] [MASK]` are ids 0 to 4, Chinese
 * characters are words of their own. The same texts give the same tokenizer, in whatever order they come.
 *
 * @example
 * const tokenizer = await trainTokenizer(texts, { vocabularySize: 8000 });
 * await tokenizer.save('models/mine', { maxLength: 256 });
 */
export async function trainTokenizer(
  texts: AsyncIterable<string> | Iterable<string>,
  options: TrainTokenizerOptions = {},
): Promise<Tokenizer> {
  const { vocabularySize = 30_000, lowercase = true, minFrequency = 2, characterCoverage = 0.9999 } = options;
  checkOptions({ vocabularySize, minFrequency, characterCoverage });
  const normalizer = NativeTokenizer.fromString(bertTokenizerJson([], lowercase)).getNormalizer();
  if (!normalizer) throw new Error('the tokenizer was made with a normalizer and has none');
  const counts = await countWords(texts, { normalizer, quiet: options.quiet });
  if (counts.size === 0) {
    throw new NearmissError('cannot train a tokenizer: the texts hold no words', {
      hint: 'check the path, and which field of the data holds the text',
    });
  }
  const size = vocabularySize - SPECIAL.length;
  const vocabulary = learnVocabulary(counts, { size, minFrequency, characterCoverage });
  return Tokenizer.fromJson(bertTokenizerJson(vocabulary, lowercase), 'the trained tokenizer');
}

/** A `tokenizer.json` as Transformers writes it for BERT. */
function bertTokenizerJson(vocabulary: string[], lowercase: boolean): string {
  const special = (id: string, type_id = 0) => ({ SpecialToken: { id, type_id } });
  const sequence = (id: string, type_id: number) => ({ Sequence: { id, type_id } });
  const idOf = (token: (typeof SPECIAL)[number]) => ({
    [token]: { id: token, ids: [SPECIAL.indexOf(token)], tokens: [token] },
  });
  return JSON.stringify({
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: SPECIAL.map((content, id) => ({
      id,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [special('[CLS]'), sequence('A', 0), special('[SEP]')],
      pair: [special('[CLS]'), sequence('A', 0), special('[SEP]'), sequence('B', 1), special('[SEP]', 1)],
      special_tokens: { ...idOf('[CLS]'), ...idOf('[SEP]') },
    },
    decoder: { type: 'WordPiece', prefix: CONTINUATION, cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: CONTINUATION,
      max_input_chars_per_word: MAX_WORD_CHARACTERS,
      vocab: Object.fromEntries([...SPECIAL, ...vocabulary].map((token, id) => [token, id])),
    },
  });
}

function checkOptions(options: Required<Omit<TrainTokenizerOptions, 'lowercase' | 'quiet'>>): void {
  const { vocabularySize, minFrequency, characterCoverage } = options;
  const require = (name: string, holds: boolean, expected: string, got: number): void => {
    if (!holds) throw new NearmissError(`${name}: expected ${expected}, got ${describe(got)}`);
  };
  require('vocabularySize', Number.isInteger(vocabularySize) &&
    vocabularySize >=
      SMALLEST_VOCABULARY, `a whole number of at least ${SMALLEST_VOCABULARY}`, vocabularySize);
  require('minFrequency', Number.isInteger(minFrequency) &&
    minFrequency >= 1, 'a whole number of at least 1', minFrequency);
  require('characterCoverage', characterCoverage > 0 &&
    characterCoverage <= 1, 'a share above 0 and up to 1', characterCoverage);
}
