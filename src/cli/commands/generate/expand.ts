import type { RegisterCommand } from '../../command.js';
import { numberBetween, wholeNumber } from '../../options/option-parsers.js';
import type { ExpandFlags } from './expand-command.js';

const EXAMPLES = `
Examples:
  nearmiss generate data/mine --generator runs/generator --count 10 --out queries.jsonl
  nearmiss expand data/mine --queries queries.jsonl --out data/mine-expanded
  nearmiss expand data/mine --queries queries.jsonl --filter runs/reranker --keep 0.3 --split-words 45 --out data/mine-filtered
  nearmiss bm25 index data/mine-expanded indexes/expanded
  nearmiss bm25 tune indexes/expanded --data data/mine --split dev      the best k1 and b are others than before

Documents get generated queries behind their texts (doc2query), so that BM25 finds them by words that they do not have. With
--filter a cross-encoder scores every query with its document, and only the best share is used (doc2query−−).`;

/** `nearmiss expand`: documents with generated queries behind them. */
export const registerExpand: RegisterCommand = (program) => {
  program
    .command('expand')
    .summary('put generated queries behind documents, for BM25')
    .description('Writes a collection whose documents have generated queries behind their texts (doc2query).')
    .argument('<data>', 'the collection that the queries were written for')
    .requiredOption('--queries <file>', 'what "nearmiss generate" wrote')
    .requiredOption('--out <dir>', 'the expanded collection, as a BEIR folder')
    .option('--count <n>', 'queries of each passage that are used (default: all)', wholeNumber(1))
    .option('--filter <run|dir>', 'a run of the recipe reranker or a cross-encoder’s folder')
    .option('--keep <share>', 'share of all queries that the filter leaves', numberBetween(0, 1), 0.3)
    .option(
      '--split-words <n>',
      'with --filter: passages are scored, as the queries were generated with it',
      wholeNumber(20),
    )
    .option('--overwrite', 'replace a BEIR folder of that name')
    .option('--threads <n>', 'threads of the filter (default: all cores)', wholeNumber(1))
    .option('--quiet', 'no progress on stderr')
    .option('--json', 'print what was done as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (path: string, flags: ExpandFlags) => {
      const { expandCommand } = await import('./expand-command.js');
      await expandCommand(path, flags);
    });
};
