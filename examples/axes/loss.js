/**
 * A loss of your own: a hinge whose excess counts squared, so that pairs that are far off count most.
 * A recipe names this file with `use` (loss.yaml), or a command with `--module`.
 *
 * @param {import('nearmiss').Axes} axes
 */
export default ({ losses, engine, settings }) => {
  const { add, div, mul, reduceSum, relu, sub } = engine;

  /** mean of max(0, margin − (s⁺ − s⁻))² over all pairs of positive and negative */
  const squaredHinge = ({ margin }) => ({
    name: 'squared-hinge',
    negatives: 'own',
    build({ scores, positive, negative }) {
      const ofPositive = reduceSum(mul(scores, positive), { axes: [1], keepDims: true });
      const excess = relu(add(sub(scores, ofPositive), margin));
      return div(reduceSum(mul(negative, mul(excess, excess))), reduceSum(negative));
    },
  });

  losses.register({
    name: 'squared-hinge',
    description: 'max(0, margin − (s⁺ − s⁻))² over the pairs of positive and negative',
    options: {
      margin: settings.positive().default(1).describe('how far a positive must lead'),
    },
    create: squaredHinge,
  });
};
