import { NearmissError } from '../../base/errors.js';
import type { Tokenizer } from '../../text/tokenizer.js';
import { type EncoderConfig, maxInputLength } from './config.js';

/** A config cut to its first layers. */
export function withLayers(config: EncoderConfig, layers: number | undefined, folder: string): EncoderConfig {
  if (layers === undefined) return config;
  if (layers < 1 || layers > config.layers) {
    throw new NearmissError(`${folder}: expected layers from 1 to ${config.layers}, got ${layers}`);
  }
  return { ...config, layers };
}

/** Refuses a tokenizer whose ids the model does not embed. */
export function checkVocabulary(tokenizer: Tokenizer, config: EncoderConfig, folder: string): void {
  if (tokenizer.vocabularySize <= config.vocabularySize) return;
  throw new NearmissError(
    `${folder}: the tokenizer has ${tokenizer.vocabularySize} tokens but the model embeds only ${config.vocabularySize}`,
    { hint: 'the tokenizer belongs to another model, or tokens were added without resizing the embeddings' },
  );
}

/** Refuses a length that the model's positions do not allow. */
export function checkLength(maxLength: number, config: EncoderConfig): number {
  const limit = maxInputLength(config);
  if (maxLength >= 3 && maxLength <= limit) return maxLength;
  throw new NearmissError(`maxLength: expected 3 to ${limit} tokens, got ${maxLength}`);
}
