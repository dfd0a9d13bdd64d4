import { shorten, UsageError } from '../../base/errors.js';
import type { Ranking } from '../../evaluate/run.js';
import type { RegisterCommand } from '../command.js';
import { loadQueries } from '../load-queries.js';
import { wholeNumber } from '../option-parsers.js';

interface SearchOptions {
  model?: string;
  data?: string;
  queries?: string;
  split?: string;
  run?: string;
  tag: string;
  k: number;
  threads?: number;
  json?: boolean;
}

const EXAMPLES = `
Examples:
  nearmiss search runs/medquad "what causes anemia" --data data/medquad        shows titles and texts
  nearmiss search runs/medquad --queries data/medquad --split test --k 100 --run ance.trec
  nearmiss search indexes/medquad --model runs/medquad/best "what causes anemia" --json`;

export const registerSearch: RegisterCommand = (program) => {
  program
    .command('search')
    .summary('search with a trained model')
    .description(
      "Finds the best documents for one query, or for all queries of a collection, with a run's best model.",
    )
    .argument('<target>', 'a run, or an index folder together with --model')
    .argument('[query]', 'what to look for')
    .option('--model <model>', 'the model that encoded the index (a run knows its own)')
    .option('--data <dir>', 'the collection, to show titles and texts of what was found')
    .option('--queries <dir>', 'search all queries of this collection instead')
    .option('--split <name>', 'only the queries of a split, e.g. test')
    .option('--run <file>', 'the TREC run to write')
    .option('--tag <name>', 'name of the run', 'dense')
    .option('--k <n>', 'hits for each query', wholeNumber(1), 10)
    .option('--threads <n>', 'threads to compute with (default: all cores)', wholeNumber(1))
    .option('--json', 'print hits as JSON')
    .addHelpText('after', EXAMPLES)
    .action(searchCommand);
};

async function searchCommand(
  target: string,
  query: string | undefined,
  options: SearchOptions,
): Promise<void> {
  if ((query === undefined) === (options.queries === undefined)) {
    throw new UsageError('search: expected either a query or --queries', {
      hint: `nearmiss search ${target} "what causes anemia", or --queries data/medquad --split test --run out.trec`,
    });
  }
  if (options.queries !== undefined && options.run === undefined) {
    throw new UsageError('search: --queries needs --run FILE to write what was found');
  }
  const { DenseRetriever } = await import('../../search/dense.js');
  const session = { threads: options.threads };
  const retriever = await DenseRetriever.open(target, { model: options.model, session });
  try {
    if (query === undefined) return await searchAll(retriever, options);
    const [ranking] = await retriever.search([query], { k: options.k });
    process.stdout.write(options.json ? jsonLine(query, ranking) : await formatHits(ranking, options.data));
  } finally {
    await retriever.close();
  }
}

async function searchAll(
  retriever: import('../../search/dense.js').DenseRetriever,
  options: SearchOptions,
): Promise<void> {
  const [{ openDataset }, { writeRun }, { Progress }] = await Promise.all([
    import('../../data/open.js'),
    import('../../evaluate/write-run.js'),
    import('../../base/progress.js'),
  ]);
  const queries = await loadQueries(await openDataset(options.queries!), options.split);
  const progress = new Progress({ label: 'search', unit: 'queries', total: queries.length });
  const texts = queries.map(({ text }) => text);
  const found = await retriever.search(texts, { k: options.k, onDone: (n) => progress.advance(n) });
  const rankings = new Map(queries.map(({ id }, i) => [id, found[i]]));
  await writeRun(options.run!, { tag: options.tag, rankings });
  progress.finish();
}

function jsonLine(text: string, { ids, scores }: Ranking): string {
  const hits = ids.map((id, i) => ({ id, score: scores[i] }));
  return `${JSON.stringify({ text, hits })}\n`;
}

async function formatHits({ ids, scores }: Ranking, data: string | undefined): Promise<string> {
  const shown = new Map<string, string>();
  if (data !== undefined) {
    const { openDataset } = await import('../../data/open.js');
    const wanted = new Set(ids);
    for await (const { id, title, text } of (await openDataset(data)).documents()) {
      if (wanted.has(id)) shown.set(id, `${title ? `${title} · ` : ''}${shorten(text, 120)}`);
    }
  }
  const lines = ids.map((id, i) => {
    const text = shown.has(id) ? `\n    ${shown.get(id)}` : '';
    return `${String(i + 1).padStart(3)}  ${scores[i].toFixed(4)}  ${id}${text}`;
  });
  return `${lines.join('\n')}\n`;
}
