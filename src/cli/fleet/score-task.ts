import type { UsedPrecision } from '../../model/precision/precision.js';
import { openPairModel } from '../../teacher/index.js';
import type { TextPair } from '../../text/tokenizer.js';
import { readInput } from './read-input.js';
import type { FleetTask } from './task.js';

/** Pairs of texts to scores. */
export const scoreTask: FleetTask = {
  name: 'score',
  async open({ folder, settings, threads }) {
    const { precision } = settings as { precision: UsedPrecision };
    const model = await openPairModel(folder, { threads, precision });
    return {
      loaded: { fingerprint: model.fingerprint },
      async compute(input) {
        const scores = await model.scorePairs(readInput<TextPair[]>(input));
        return new Uint8Array(Float32Array.from(scores).buffer);
      },
    };
  },
};
