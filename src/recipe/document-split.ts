import type { SplitTokensOptions } from '../text/split-tokens.js';
import type { ModelRecipe } from './recipe.js';
import { textLengths } from './text-lengths.js';

/** How a recipe's model reads documents: their first tokens (FirstP), or several pieces of so many (MaxP). */
export function documentSplit({
  passages,
  maxLength,
}: Pick<ModelRecipe, 'passages' | 'maxLength'>): SplitTokensOptions {
  return {
    maxPieces: passages.mode === 'max' ? passages.pieces : 1,
    pieceLength: textLengths({ maxLength }).document,
  };
}
