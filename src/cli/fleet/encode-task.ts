import { rowsToBytes } from '../../fleet/rows-bytes.js';
import { Encoder } from '../../model/encoder/encoder.js';
import { loadEncoderModel } from '../../model/encoder/encoder-model.js';
import type { TokenizedTexts } from '../../model/encoder/tokenized-texts.js';
import { weightsFingerprint } from '../../model/folder/weights-fingerprint.js';
import type { UsedPrecision } from '../../model/precision/precision.js';
import { readInput } from './read-input.js';
import type { FleetTask } from './task.js';

interface Settings {
  use: 'query' | 'document';
  precision: UsedPrecision;
  side?: 'queries' | 'documents';
}

/** Texts or tokens to rows. */
export const encodeTask: FleetTask = {
  name: 'encode',
  async open({ folder, settings, threads }) {
    const { use, precision, side } = settings as unknown as Settings;
    const model = await loadEncoderModel(folder, { quiet: true });
    const encoder = await Encoder.create(model, { session: { threads, precision } });
    return {
      loaded: {
        weights: weightsFingerprint(model.parameters),
        tokenizer: model.tokenizer.fingerprint,
        dimension: encoder.dimension,
      },
      async compute(input) {
        const given = readInput<{ strings: string[] } | TokenizedTexts>(input);
        return rowsToBytes(
          'strings' in given
            ? await encoder.encode(given.strings, { use })
            : await encoder.encodeTokens(given, { side }),
        );
      },
    };
  },
};
