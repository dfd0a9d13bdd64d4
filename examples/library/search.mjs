// Search in 5 lines: node examples/library/search.mjs RUN "query"
import { openSearcher } from 'nearmiss/search';

const [target, query] = process.argv.slice(2);
const searcher = await openSearcher(target);
const [hits] = await searcher.retriever(searcher.defaultMode).search([query], { k: 5 });
for (const { id, score } of hits) console.log(score.toFixed(4), id, (await searcher.documents.get(id)).text);
await searcher.close();
