import type { Normalizer } from 'tokenizers';
import { detach } from '../base/lines.js';
import { Progress } from '../base/progress.js';

/** WordPiece gives up on longer words (BERT's limit), so nothing can be learned from them. */
export const MAX_WORD_CHARACTERS = 100;

/**
 * BERT's pre-tokenizer: words end at white space, each punctuation mark is a word. Punctuation is what Unicode
 * calls so, and all of ASCII that is neither letter, digit nor space.
 */
const BERT_WORD = /[\p{P}$+<=>^`|~]|[^\s\p{P}$+<=>^`|~]+/gu;

/** How often each word occurs. In memory are only the distinct words and one text. */
export async function countWords(
  texts: AsyncIterable<string> | Iterable<string>,
  options: { normalizer: Normalizer; quiet?: boolean },
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const progress = new Progress({ label: 'count words', unit: 'texts', quiet: options.quiet });
  for await (const text of texts) {
    for (const [word] of options.normalizer.normalizeString(text).matchAll(BERT_WORD)) {
      const known = counts.get(word);
      if (known !== undefined) counts.set(word, known + 1);
      else if (fits(word)) counts.set(detach(word), 1);
    }
    progress.advance();
  }
  progress.finish();
  return counts;
}

function fits(word: string): boolean {
  return word.length <= MAX_WORD_CHARACTERS || [...word].length <= MAX_WORD_CHARACTERS;
}
