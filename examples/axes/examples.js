/**
 * Examples of your own, without any label: the first words of a document are a query that the document answers.
 *
 * @param {import('nearmiss').Axes} axes
 */
export default ({ examples, settings }) => {
  examples.register({
    name: 'beginnings',
    description: 'the first words of each document, with the document they are from',
    options: {
      words: settings.whole(1).default(5).describe('most words of a query'),
    },
    async open({ words }, { dataset, tokenize }) {
      const beginnings = [];
      for await (const { title, text } of dataset.documents()) {
        beginnings.push((title || text).split(/\s+/).slice(0, words).join(' '));
      }
      return {
        count: beginnings.length,
        async at(document, random) {
          // Another length each time; all chance comes from the stream, so that a resumed run makes the same.
          const all = beginnings[document].split(' ');
          const some = all.slice(0, 1 + random.integer(all.length)).join(' ');
          const [query] = await tokenize([some], 'query');
          return { query, positive: document };
        },
        relevant: (document) => Int32Array.of(document),
        grades: () => Float32Array.of(1),
      };
    },
  });
};
