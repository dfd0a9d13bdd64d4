// A way to search of your own: BM25's hits, short texts first. npx tsx examples/library/custom-mode.ts COLLECTION "query"
import { type Corpus, type Mode, openSearcher, type Retriever, searchModes } from 'nearmiss/search';

/** The corpus is what was opened, or that with the documents that were added and removed since. */
const shortestFirst = (corpus: Corpus): Retriever => ({
  mode: 'shortest',
  async search(queries, options) {
    const found = await corpus.retriever('bm25').search(queries, options);
    return Promise.all(
      found.map(async (hits) => {
        const documents = await corpus.documents.getAll(hits.map(({ id }) => id));
        const scored = documents.flatMap((document) =>
          document ? [{ id: document.id, score: 1 / (1 + document.text.length) }] : [],
        );
        return scored.sort((a, b) => b.score - a.score);
      }),
    );
  },
  close: async () => {},
});

const shortest: Mode = {
  name: 'shortest',
  needs: { what: 'a collection', flags: ['--data'] },
  components: ['bm25'],
  async open({ opened }) {
    if (!opened.has('bm25')) return undefined;
    return { retriever: shortestFirst, live: () => ({ retriever: shortestFirst }) };
  },
};
searchModes.register(shortest);

const [target = 'data/mine', query = 'near miss'] = process.argv.slice(2);
const searcher = await openSearcher(target);
for (const { id, text } of await searcher.search(query, { k: 5, mode: 'shortest' })) console.log(id, text);
await searcher.close();
