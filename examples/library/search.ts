// Search in 5 lines: npx tsx examples/library/search.ts RUN "query"
import { openSearcher } from 'nearmiss/search';

const [target = 'runs/mine', query = 'near miss'] = process.argv.slice(2);
const searcher = await openSearcher(target);
for (const { id, score, text } of await searcher.search(query, { k: 5 }))
  console.log(score.toFixed(4), id, text);
await searcher.close();
