// Loads MiniLM, builds the training graph, starts a session and makes one step; prints the seconds it took by the clock named.
import { loadEncoderModel } from '../../src/model/index.js';
import { type Clock, secondsOf } from './clock.js';
import { createLearner, randomBatch } from './training.js';

const SMALL_BATCH = { queries: 2, queryTokens: 8, documentTokens: 16 };

const coldStartSeconds = await secondsOf(process.argv[2] as Clock, async () => {
  const model = await loadEncoderModel('minilm');
  const learner = await createLearner(model, {});
  const { vocabularySize } = model.spec.config;
  await learner.update(0, [randomBatch(SMALL_BATCH, { vocabularySize, seed: 1 })]);
});
process.stdout.write(JSON.stringify({ coldStartSeconds }));
