/**
 * A task of your own. This one learns pairs of query and document as InfoNCE does, and keeps the weights near the moving
 * average of what they have been: its gradient is that of the pairs and `pull` times the distance from the average.
 * The average is saved and restored with the weights, because it is in `state`.
 *
 * @param {import('nearmiss').Axes} axes
 */
export default ({ tasks, losses, engine, settings }) => {
  tasks.register({
    name: 'steady-pairs',
    description: 'pairs of query and relevant document, near the moving average of the weights',
    options: {
      pairs: settings.whole(2).default(8).describe('pairs in a step'),
      memory: settings.between(0, 1).default(0.9).describe('how much of the average stays at each step'),
      pull: settings.positive().default(0.1).describe('how strongly the average pulls'),
    },
    takes: [],
    async open({ pairs, memory, pull }, { recipe, stage, data, model, learns, session }) {
      const average = model.parameters.zerosLike(learns);
      for (const name of average.names) average.get(name).set(model.parameters.get(name));
      const inner = await model.step({
        recipe,
        stage,
        losses: [{ loss: losses.get('infonce').create({}), scale: 20 }],
        learns,
        session,
      });
      return {
        state: { average },
        step: {
          async addGradients(batch, gradients, run) {
            const result = await inner.addGradients(batch, gradients, run);
            const { weight = 1 } = run;
            let distance = 0;
            for (const name of gradients.names) {
              const [slope, now, then] = [gradients, model.parameters, average].map((of) => of.get(name));
              for (let i = 0; i < slope.length; i++) {
                slope[i] += weight * pull * (now[i] - then[i]);
                distance += (now[i] - then[i]) ** 2;
              }
            }
            return { ...result, loss: result.loss + (pull / 2) * distance };
          },
          release: () => inner.release(),
        },
        // A function of the step alone, and everything up to chance from a seeded stream.
        async batches(step) {
          const random = engine.Random.from(recipe.seed, 'steady-pairs', step);
          const all = Int32Array.from(data.training.keys());
          const chosen = [...random.shuffle(all).subarray(0, pairs)].map((member) => data.training[member]);
          const documents = [...new Set(chosen.map(({ positives }) => positives[0]))];
          return [
            {
              examples: chosen.length,
              queries: (await data.queries.texts(chosen.map(({ query }) => query))).texts,
              documents: (await data.documents.texts(documents)).texts,
              positives: chosen.map(({ positives }) => documents.indexOf(positives[0])),
              negatives: chosen.map(() => []),
              known: chosen.map(({ positives }) =>
                documents.flatMap((document, place) => (positives.includes(document) ? place : [])),
              ),
            },
          ];
        },
        async after() {
          for (const name of average.names) {
            const [now, then] = [model.parameters.get(name), average.get(name)];
            for (let i = 0; i < then.length; i++) then[i] = memory * then[i] + (1 - memory) * now[i];
          }
        },
        close: () => inner.release(),
      };
    },
  });
};
