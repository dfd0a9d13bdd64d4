import { NearmissError } from '../../base/errors.js';
import { ParameterStore } from '../../engine/index.js';
import type { EncoderModel } from '../encoder/encoder-model.js';
import { initialize } from '../encoder/initialize.js';
import { bert2RndSpec } from './bert2rnd-network.js';
import type { Seq2SeqModel } from './seq2seq-model.js';

export interface Bert2RndOptions {
  /** Layers of the decoder. */
  decoderLayers: number;
  /** Tokens read of a source, and written at most, special tokens included. */
  maxSource: number;
  maxTarget: number;
  /** Whether decoder layers begin as copies of the encoder's last, all but what looks at the source; else random. */
  copyLayers?: boolean;
  /** Whether it can copy tokens of the source. */
  copy?: boolean;
  seed?: number;
}

/**
 * An encoder with new decoder layers on top that share its table of words; it has to be trained.
 *
 * @example
 * const model = createBert2Rnd(await loadEncoderModel('minilm', { layers: 3 }), {
 *   decoderLayers: 2,
 *   maxSource: 128,
 *   maxTarget: 32,
 * });
 */
export function createBert2Rnd(
  { name, spec: { config }, parameters: from, tokenizer }: EncoderModel,
  { decoderLayers, maxSource, maxTarget, copyLayers = true, copy = false, seed = 0 }: Bert2RndOptions,
): Seq2SeqModel {
  const { cls, sep } = tokenizer.specialTokens;
  if (!cls || !sep) {
    throw new NearmissError(
      `${name}: a query generator starts with [CLS] and ends with [SEP], and the tokenizer has none`,
      {
        hint: 'choose a model of the BERT family, or a T5',
      },
    );
  }
  if (copyLayers && decoderLayers > config.layers) {
    throw new NearmissError(
      `decoder layers: expected at most ${config.layers}, as they begin as copies of the encoder's, got ${decoderLayers}`,
      { hint: 'set model.decoder.start=random, or fewer layers' },
    );
  }
  const rows = maxTarget + config.positionOffset;
  const spec = bert2RndSpec({
    encoder: config,
    decoderLayers,
    maxTarget: rows,
    startId: cls.id,
    endId: sep.id,
    copy,
  });
  const parameters = new ParameterStore(spec.parameters());
  for (const parameter of parameters.names) {
    const data = parameters.get(parameter);
    const twin = twinOf(parameter, config.layers - decoderLayers, copyLayers);
    if (twin === undefined || !from.has(twin)) initialize(parameters, parameter, seed);
    // The decoder's table of positions is the beginning of the encoder's.
    else data.set(from.get(twin).subarray(0, data.length));
  }
  return { name, spec, parameters, tokenizer, maxSource, maxTarget };
}

/** The encoder's parameter that one of the new model begins as. */
function twinOf(name: string, skipped: number, copyLayers: boolean): string | undefined {
  if (name.startsWith('encoder.')) return name.slice('encoder.'.length);
  if (!name.startsWith('decoder.bert.')) return undefined;
  const own = name.slice('decoder.bert.'.length);
  if (name.startsWith('decoder.bert.embeddings.')) return own;
  if (!copyLayers || !name.startsWith('decoder.bert.encoder.layer.') || name.includes('.crossattention.')) {
    return undefined;
  }
  return own.replace(/^encoder\.layer\.(\d+)\./, (_, layer) => `encoder.layer.${Number(layer) + skipped}.`);
}
