import { ParameterStore } from '../../engine/index.js';
import type { EncoderConfig } from '../encoder/config.js';
import { initialize } from '../encoder/initialize.js';
import { loadMlmHead } from '../mlm/load-mlm-head.js';
import { decoderParameters } from './decoder.js';

/** What learns beside an encoder whose vectors texts are rebuilt from. */
export interface RebuildingPart {
  /** The head that guesses words, and a decoder. */
  beside: ParameterStore;
  /** The head alone, in the same memory. */
  head: ParameterStore;
}

/** The head that a model came with, or a new one, and a new decoder. */
export async function startRebuilding(
  init: string,
  config: EncoderConfig,
  seed: number,
): Promise<RebuildingPart> {
  const loaded = await loadMlmHead(init, config);
  const decoder = decoderParameters(config);
  const beside = new ParameterStore([...loaded.specs, ...decoder]);
  const head = new ParameterStore(loaded.specs, beside.buffer.subarray(0, loaded.buffer.length));
  head.copyFrom(loaded);
  for (const { name } of decoder) initialize(beside, name, seed);
  return { beside, head };
}
