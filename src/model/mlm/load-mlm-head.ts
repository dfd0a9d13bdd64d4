import { ParameterStore } from '../../engine/index.js';
import type { EncoderConfig } from '../encoder/config.js';
import { openModel } from '../folder/source.js';
import { mlmHeadParameters } from './mlm-head.js';
import { readMlmHead } from './mlm-names.js';
import { startMlmHead } from './start-mlm-head.js';

/**
 * The head with which a model guesses hidden words: its own where its folder has one of the right size, else a new one.
 *
 * @param init `scratch`, or what `loadEncoderModel` takes
 */
export async function loadMlmHead(init: string, config: EncoderConfig): Promise<ParameterStore> {
  const head = new ParameterStore(mlmHeadParameters(config));
  if (init !== 'scratch') {
    const { weights } = await openModel(init);
    const found = await readMlmHead(weights, head, config).finally(() => weights.close());
    if (found) return head;
  }
  startMlmHead(head);
  return head;
}
