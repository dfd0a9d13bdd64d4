/**
 * A scorer of your own: a document scores as the mean of its pieces, where MaxP takes the best.
 *
 * @param {import('nearmiss').Axes} axes
 */
export default ({ scorers, engine }) => {
  const { matmul } = engine;
  scorers.register({
    name: 'mean-piece',
    description: "the mean inner product of the query's row with those of the document",
    options: {},
    create: () => ({
      build(graph, queries, documents, scale) {
        const ofRows = matmul(queries.value, documents.value, { transposeB: true, alpha: scale });
        return matmul(ofRows, graph.input('shares', [documents.value.shape[0], documents.texts]));
      },
      // What each row counts for each document: nothing is scattered, so the same seed gives the same bits.
      feeds({ documents: offsets }) {
        const texts = offsets.length - 1;
        const data = new Float32Array(offsets[texts] * texts);
        for (let text = 0; text < texts; text++) {
          const rows = offsets[text + 1] - offsets[text];
          for (let row = offsets[text]; row < offsets[text + 1]; row++) data[row * texts + text] = 1 / rows;
        }
        return { shares: { shape: [offsets[texts], texts], data } };
      },
      score(query, document, dimension) {
        let sum = 0;
        document.forEach((value, i) => {
          sum += value * query[i % dimension];
        });
        return (sum * dimension) / document.length;
      },
      bestInnerProduct: false,
    }),
  });
};
