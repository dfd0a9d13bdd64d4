import { text } from '../base/settings.js';
import { examplesKind } from './example.js';
import { readPseudoFolder } from './pseudo-folder.js';

/** Labelled queries, and behind them those that a model has labelled. */
export const pseudoLabelledKind = examplesKind({
  name: 'pseudo-labelled',
  description:
    'queries of the training split, and queries without judgments whose positive and negatives cross-encoders found (RocketQA)',
  options: {
    file: text('a path').describe(
      'stage:NAME of a stage that makes pseudo-labels, or the folder of such a stage',
    ),
  },
  trainingQueries: true,
  hasOthers: true,
  async open({ file }, { training, locate, dataFingerprint }) {
    const { examples } = await readPseudoFolder(await locate(file), dataFingerprint);
    const others = examples.map((example) => ({
      ...example,
      relevant: Int32Array.of(example.positive),
      grades: Float32Array.of(1),
    }));
    return {
      count: training.length + others.length,
      trainingQueries: training.length,
      async at(example, random) {
        if (example >= training.length) return others[example - training.length];
        const { query, positives } = training[example];
        return { query, positive: positives[random.integer(positives.length)] };
      },
      relevant: (example) => training[example]?.positives ?? others[example - training.length].relevant,
      grades: (example) => training[example]?.grades ?? others[example - training.length].grades,
    };
  },
});
