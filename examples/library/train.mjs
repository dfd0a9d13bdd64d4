// Train in 15 lines: node examples/library/train.mjs DATA RUN [RECIPE] [path=value…]
import { train } from 'nearmiss/train';

const [data, out, recipe = 'ance-firstp', ...set] = process.argv.slice(2);

const { best } = await train({
  data,
  out,
  recipe,
  set,
  onEvent(role, event) {
    if (event.type === 'step') console.error(`${role}: step ${event.step}, loss ${event.loss.toFixed(3)}`);
  },
});
console.log(`step ${best.step} is best:`, best.measures);
