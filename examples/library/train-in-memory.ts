// Pairs in memory, a recipe object, a loss of your own: npx tsx examples/library/train-in-memory.ts RUN
import { div, mul, reduceSum, relu, sub } from 'nearmiss/engine';
import { type LossInputs, lossKind } from 'nearmiss/loss';
import { openSearcher } from 'nearmiss/search';
import { train } from 'nearmiss/train';

const animals = ['ant', 'bee', 'cat', 'dog', 'elk', 'fox', 'gnu', 'hen', 'jay', 'koi', 'owl', 'pig'];
const data = animals.map((animal, i) => ({
  query: `where does the ${animal} live`,
  document: `the home of every ${animal} is house number ${i}`,
}));

// Only the forward computation has to be written: the gradient is derived from it.
const squaredHinge = lossKind({
  name: 'squared-hinge',
  description: 'max(0, 2 − (s⁺ − s⁻))²',
  options: {},
  create: () => ({
    name: 'squared-hinge',
    negatives: 'batch',
    build({ scores, positive, negative }: LossInputs) {
      const best = reduceSum(mul(scores, positive), { axes: [1], keepDims: true });
      const short = relu(sub(2, sub(best, scores)));
      return div(reduceSum(mul(negative, mul(short, short))), reduceSum(negative));
    },
  }),
});

const [out = 'runs/animals'] = process.argv.slice(2);
await train({
  data,
  recipe: { extends: 'tiny', stages: [{ name: 'learn', steps: 20, negatives: ['in-batch'] }] },
  loss: 'squared-hinge',
  kinds: { losses: [squaredHinge] },
  out,
});

const searcher = await openSearcher(out);
for (const { score, text } of await searcher.search('where does the owl live', { k: 3 })) {
  console.log(score.toFixed(4), text);
}
await searcher.close();
