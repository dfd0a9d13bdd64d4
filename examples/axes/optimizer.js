/**
 * An optimizer of your own: Lion (Chen et al. 2023), which steps by the sign of a momentum alone and so keeps half of Adam's
 * state. Its rates are a third to a tenth of AdamW's.
 *
 * @param {import('nearmiss').Axes} axes
 */
export default ({ optimizers, settings }) => {
  const share = (fallback, meaning) =>
    settings.between(0, 1, { open: 'most' }).default(fallback).describe(meaning);

  optimizers.register({
    name: 'lion',
    description: 'steps by the sign of a momentum (Chen et al. 2023)',
    options: {
      beta1: share(0.9, 'how much of the momentum decides the step'),
      beta2: share(0.99, 'how much of the momentum stays'),
    },
    create(parameters, { beta1, beta2, weightDecay, decays, learns }) {
      // Saved with the weights, and restored before the first step of a run that goes on.
      const momentum = parameters.zerosLike(learns);
      let step = 0;
      return {
        name: 'lion',
        state: { momentum },
        get step() {
          return step;
        },
        resumeAt(done) {
          step = done;
        },
        update(gradients, learningRate, gradientScale = 1) {
          step++;
          for (const name of momentum.names) {
            const [weights, slopes, moving] = [parameters, gradients, momentum].map((of) => of.get(name));
            const keep = 1 - (decays(name) ? learningRate * weightDecay : 0);
            for (let i = 0; i < weights.length; i++) {
              const slope = slopes[i] * gradientScale;
              const direction = Math.sign(beta1 * moving[i] + (1 - beta1) * slope);
              weights[i] = weights[i] * keep - learningRate * direction;
              moving[i] = beta2 * moving[i] + (1 - beta2) * slope;
            }
          }
        },
      };
    },
  });
};
