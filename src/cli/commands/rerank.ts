import type { RegisterCommand } from '../command.js';
import { wholeNumber } from '../options/option-parsers.js';
import { providerOption } from '../options/provider-option.js';

interface RerankOptions {
  model: string;
  data: string;
  out: string;
  depth: number;
  tag?: string;
  threads?: number;
  provider?: string;
  quiet?: boolean;
}

const EXAMPLES = `
Examples:
  nearmiss train --data data/medquad --recipe reranker --out runs/reranker
  nearmiss bm25 search indexes/medquad --queries data/medquad --split test --k 100 --run bm25.trec
  nearmiss rerank bm25.trec --model runs/reranker --data data/medquad --out reranked.trec
  nearmiss rerank dense.trec --model cross-encoder/ms-marco-MiniLM-L6-v2 --data data/medquad --depth 50 --out reranked.trec
  nearmiss compare bm25.trec reranked.trec --qrels data/medquad --split test

Each query's first hits are read together with the query and ordered by the score that the model gives them; hits beyond
--depth are left out. The new run file appears when everything is scored, or not at all.`;

export const registerRerank: RegisterCommand = (program) => {
  program
    .command('rerank')
    .summary('rerank a run file with a cross-encoder')
    .description(
      'Orders the first hits of a run file anew by a cross-encoder, which reads query and document together.',
    )
    .argument('<run>', 'what another system found: a run file (TREC or MS MARCO)')
    .requiredOption(
      '--model <run|dir>',
      "a training run of the recipe reranker, a cross-encoder's folder, or a hub id",
    )
    .requiredOption('--data <dir>', 'the collection that it was made on')
    .requiredOption('--out <path>', 'the reranked run file')
    .option('--depth <n>', 'hits of each query that are read', wholeNumber(1), 100)
    .option('--tag <name>', 'name of the reranked system (default: the file’s, +rerank)')
    .option('--threads <n>', 'threads (default: all cores)', wholeNumber(1))
    .addOption(providerOption())
    .option('--quiet', 'no progress on stderr')
    .addHelpText('after', EXAMPLES)
    .action(rerankCommand);
};

async function rerankCommand(path: string, options: RerankOptions): Promise<void> {
  const [{ openDataset }, { readRun }, { writeRun }, { openReranker }, { rerankRun }, { Progress }] =
    await Promise.all([
      import('../../data/open.js'),
      import('../../evaluate/read-run.js'),
      import('../../evaluate/write-run.js'),
      import('../../search/retrievers/open-reranker.js'),
      import('../../search/rerank-run.js'),
      import('../../base/progress.js'),
    ]);
  const { depth, quiet } = options;
  const [run, dataset] = [await readRun(path), await openDataset(options.data)];
  const { threads, provider } = options;
  const reranker = await openReranker(options.model, { threads, provider });
  const total = [...run.rankings.values()].reduce((sum, { ids }) => sum + Math.min(depth, ids.length), 0);
  const progress = new Progress({ label: 'rerank', unit: 'pairs', total, quiet });
  const tag = options.tag ?? `${run.tag}+rerank`;
  try {
    const onQuery = (hits: number): void => progress.advance(hits);
    await writeRun(options.out, await rerankRun(run, { dataset, reranker, depth, tag, name: path, onQuery }));
  } finally {
    await reranker.close();
  }
  progress.finish();
}
