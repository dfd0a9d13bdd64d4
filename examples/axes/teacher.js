/**
 * A teacher of your own: queries and documents that share letters are near each other. A model that is asked would be
 * opened and closed here in the same way.
 *
 * @param {import('nearmiss').Axes} axes
 */
export default ({ teachers, settings }) => {
  teachers.register({
    name: 'shared-letters',
    description: 'how many runs of letters a query and a document share',
    options: {
      length: settings.whole(1).default(3).describe('letters in a run'),
      most: settings.positive().default(2).describe('the score of a document that has all runs of the query'),
    },
    async open({ length, most }, { dataset, memberOf }) {
      const runs = (text) => {
        const letters = text.toLowerCase();
        return new Set(
          Array.from({ length: Math.max(0, letters.length - length + 1) }, (_, i) =>
            letters.slice(i, i + length),
          ),
        );
      };
      const ofQuery = new Map();
      for await (const { id, text } of dataset.queries()) {
        const member = memberOf(id);
        if (member >= 0) ofQuery.set(member, runs(text));
      }
      const ofDocument = [];
      for await (const { title = '', text } of dataset.documents()) ofDocument.push(runs(`${title} ${text}`));
      return {
        async scores({ members, documents, wanted }) {
          const scores = new Float32Array(members.length * documents.length);
          const known = new Float32Array(scores.length);
          members.forEach((member, row) => {
            const query = ofQuery.get(member);
            documents.forEach((document, column) => {
              // Texts that are not of the collection have no number; pairs that no loss looks at are not worth scoring.
              if (document < 0 || !wanted(row, column)) return;
              const place = row * documents.length + column;
              const shared = [...query].filter((run) => ofDocument[document].has(run)).length;
              scores[place] = query.size === 0 ? 0 : (most * shared) / query.size;
              known[place] = 1;
            });
          });
          return { scores, known };
        },
        async close() {},
      };
    },
  });
};
