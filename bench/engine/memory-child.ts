// Trains a small model for 500 steps and prints by how many MB resident memory grew after the first 50.
import { Random } from '../../src/engine/index.js';
import { createEncoderModel } from '../../src/model/index.js';
import { trainTokenizer } from '../../src/text/train-tokenizer.js';
import { createLearner, randomBatch } from './training.js';

const WARM_UP = 50;
const STEPS = 500;

async function* words(): AsyncGenerator<string> {
  const random = Random.from(1, 'bench', 'words');
  for (let i = 0; i < 200; i++) yield random.bits().toString(36);
}

const tokenizer = await trainTokenizer(words(), { vocabularySize: 200 });
const model = createEncoderModel({ tokenizer, hiddenSize: 64, layers: 2, heads: 4, maxLength: 64 });
const learner = await createLearner(model, { threads: 1 });
const shape = { queries: 8, queryTokens: 12, documentTokens: 64 };
const { vocabularySize } = model.spec.config;
let before = 0;
for (let step = 0; step < WARM_UP + STEPS; step++) {
  if (step === WARM_UP) before = process.memoryUsage.rss();
  await learner.update(step, [randomBatch(shape, { vocabularySize, seed: step, vary: true })]);
}
process.stdout.write(JSON.stringify({ rssGrowthMb: (process.memoryUsage.rss() - before) / 2 ** 20 }));
