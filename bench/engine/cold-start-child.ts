// Loads MiniLM, builds the training graph, starts a session and makes one step; prints the seconds since the process began.
import { loadEncoderModel } from '../../src/model/index.js';
import { createLearner, randomBatch } from './training.js';

const model = await loadEncoderModel('minilm');
const learner = await createLearner(model, {});
const { vocabularySize } = model.spec.config;
await learner.update(0, [
  randomBatch({ queries: 2, queryTokens: 8, documentTokens: 16 }, { vocabularySize, seed: 1 }),
]);
process.stdout.write(JSON.stringify({ coldStartSeconds: performance.now() / 1000 }));
