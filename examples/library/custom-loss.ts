// A loss of your own: margin-MSE against a teacher's margins is one; here, a squared hinge. The graph that computes it
// is differentiated when it is built, so nothing but the forward computation has to be written.
import { AdamW, div, mul, reduceSum, relu, sub } from 'nearmiss/engine';
import type { Loss } from 'nearmiss/loss';
import { loadEncoderModel } from 'nearmiss/model';
import { tokensAt } from 'nearmiss/text';
import { DirectStep, Learner, type RetrievalBatch } from 'nearmiss/train';

const squaredHinge: Loss = {
  name: 'squared-hinge',
  negatives: 'batch',
  build({ scores, positive, negative }) {
    const best = reduceSum(mul(scores, positive), { axes: [1], keepDims: true });
    const short = relu(sub(2, sub(best, scores)));
    return div(reduceSum(mul(negative, mul(short, short))), reduceSum(negative));
  },
};

const pairs: [query: string, document: string][] = [
  ['how tall is a giraffe', 'an adult stands five metres high'],
  ['when do owls sleep', 'most of them rest by day and hunt at night'],
  ['what do bees collect', 'nectar and pollen of flowers'],
  ['where do salmon spawn', 'they swim up the river in which they hatched'],
];

const model = await loadEncoderModel('minilm', { layers: 2 });
const read = async (texts: string[]) => {
  const tokens = await model.tokenizer.encodeBatch(texts, { maxLength: 32 });
  return texts.map((_, i) => ({ ids: tokensAt(tokens, i) }));
};
const batch: RetrievalBatch = {
  examples: pairs.length,
  queries: await read(pairs.map(([query]) => query)),
  documents: await read(pairs.map(([, document]) => document)),
  positives: pairs.map((_, i) => i),
  negatives: pairs.map(() => []),
};

const { spec, parameters } = model;
const step = await DirectStep.create({ spec, parameters, loss: squaredHinge, scale: 20 });
const optimizer = new AdamW(parameters);
const learner = new Learner({ step, parameters, optimizer, learningRate: () => 5e-5, layers: 2, seed: 1 });
for (let i = 0; i < 10; i++) {
  const { loss, gradientNorm } = await learner.update(i, [batch]);
  console.log(`step ${i}: loss ${loss.toFixed(4)}, gradient norm ${gradientNorm.toFixed(2)}`);
}
await step.release();
