import type { RegisterCommand } from '../command.js';
import { registerBm25Index } from './bm25/index-command.js';
import { registerBm25Search } from './bm25/search-command.js';
import { registerBm25Tune } from './bm25/tune-command.js';

const EXAMPLES = `
Examples:
  nearmiss bm25 index data/scifact indexes/scifact
  nearmiss bm25 search indexes/scifact "does vitamin D prevent fractures"
  nearmiss bm25 search indexes/scifact --queries data/scifact --split test --k 1000 --run bm25.trec
  nearmiss eval bm25.trec data/scifact --split test -m 'nDCG@10 R@100'      nDCG@10 .6789, R@100 .9253`;

/** `nearmiss bm25 …`: sparse retrieval, the baseline of every dense one and its first negatives. */
export const registerBm25: RegisterCommand = (program) => {
  const bm25 = program
    .command('bm25')
    .summary('index and search with BM25, as Lucene and Anserini do')
    .description('Indexes a collection, searches it with BM25 or TF-IDF and tunes k1 and b.')
    .addHelpText('after', EXAMPLES);
  registerBm25Index(bm25);
  registerBm25Search(bm25);
  registerBm25Tune(bm25);
};
