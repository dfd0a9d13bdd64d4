// A way to search of your own: BM25's hits, short texts first. node examples/library/custom-mode.mjs COLLECTION "query"
import { openSearcher, searchModes } from 'nearmiss/search';

searchModes.register({
  name: 'shortest',
  needs: { what: 'a collection', flags: ['--data'] },
  components: ['bm25'],
  async open({ opened }) {
    if (!opened.has('bm25')) return undefined;
    // The corpus is what was opened, or that with the documents that were added and removed since.
    const retriever = (corpus) => ({
      mode: 'shortest',
      async search(queries, options) {
        const found = await corpus.retriever('bm25').search(queries, options);
        return Promise.all(
          found.map(async (hits) => {
            const documents = await corpus.documents.getAll(hits.map(({ id }) => id));
            const scored = documents.map(({ id, text }) => ({ id, score: 1 / (1 + text.length) }));
            return scored.sort((a, b) => b.score - a.score);
          }),
        );
      },
      close: async () => {},
    });
    return { retriever, live: () => ({ retriever }) };
  },
});

const [target, query] = process.argv.slice(2);
const searcher = await openSearcher(target);
const [hits] = await searcher.retriever('shortest').search([query], { k: 5 });
for (const { id } of hits) console.log(id, (await searcher.documents.get(id)).text);
await searcher.close();
