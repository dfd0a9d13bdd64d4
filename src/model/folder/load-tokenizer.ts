import { Tokenizer } from '../../text/tokenizer.js';
import type { EncoderConfig } from '../encoder/config.js';
import { checkVocabulary } from '../encoder/model-checks.js';
import type { ModelFolder } from './model-folder.js';

/**
 * Loads a model's tokenizer while its weights are being read. Where both are wrong, what is wrong with the tokenizer is
 * told: a tokenizer of another model explains why the weights do not fit.
 */
export async function loadTokenizer(
  { source, config }: { source: ModelFolder; config: EncoderConfig },
  weights: Promise<void>,
): Promise<Tokenizer> {
  weights.catch(() => undefined);
  const tokenizer = await Tokenizer.load(source.tokenizerFolder);
  checkVocabulary(tokenizer, config, source.folder);
  await weights;
  return tokenizer;
}
