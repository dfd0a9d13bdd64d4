// Train in 20 lines: npx tsx examples/library/train.ts DATA RUN [RECIPE] [path=value…]
import { train } from 'nearmiss/train';

const [data = 'data/mine', out = 'runs/mine', recipe = 'default', ...set] = process.argv.slice(2);

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
