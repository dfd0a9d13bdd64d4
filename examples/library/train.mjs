// Train in 15 lines: node examples/library/train.mjs DATA RUN [RECIPE] [path=value…]
import { train } from 'nearmiss/train';

const [data, out, recipe = 'default', ...set] = process.argv.slice(2);

const { best, rows, checkpoint } = await train({
  data,
  out,
  recipe,
  set,
  onEvent(role, event) {
    if (event.type === 'step') console.error(`${role}: step ${event.step}, loss ${event.loss.toFixed(3)}`);
  },
});
console.log(`use: ${best} (step ${checkpoint?.step})`);
for (const { system, measures } of rows ?? []) console.log(system, measures);
