import type { Command } from 'commander';
import { shorten, UsageError } from '../../../base/errors.js';
import { jsonText } from '../../../base/printable.js';
import type { Ranked } from '../../../base/top-k.js';
import type { Query } from '../../../data/dataset.js';
import type { Bm25Index } from '../../../index/bm25/bm25-index.js';
import { loadQueries } from '../../inputs/load-queries.js';
import { notBlank, wholeNumber } from '../../options/option-parsers.js';
import { print, printData } from '../../output.js';
import { addRankingOptions, type RankingFlags, toRankOptions } from './ranking-options.js';

interface SearchFlags extends RankingFlags {
  data?: string;
  queries?: string;
  split?: string;
  run?: string;
  tag: string;
  threads?: number;
  queryWeights?: string;
  json?: boolean;
}

/** Queries searched before their rankings are written: what bounds the memory of a long run. */
const QUERIES_AT_ONCE = 1000;

const EXAMPLES = `
Equal scores are ranked in indexing order. A run file holds as many digits of a score as reading it back needs.

Examples:
  nearmiss bm25 search indexes/scifact "vitamin D and bone density"
  nearmiss bm25 search indexes/scifact "vitamin D" --data data/scifact       shows titles and texts
  nearmiss bm25 search indexes/scifact --queries data/scifact --split test --k 1000 --run bm25.trec
  nearmiss bm25 search indexes/scifact --queries data/scifact --split test --rm3 --run rm3.trec
  nearmiss bm25 search indexes/scifact "vitamin D" --json | jq '.hits[0].id'`;

export function registerBm25Search(bm25: Command): void {
  const command = bm25
    .command('search')
    .summary('search one query, or all queries of a collection')
    .description(
      'Finds the best documents for one query, or for every query of a collection as a run file (TREC).',
    )
    .argument('<index>', 'folder that "bm25 index" made')
    .argument('[query]', 'what to look for', notBlank);
  addRankingOptions(command, 10)
    .option('--data <path>', 'the collection, to show titles and texts of what was found')
    .option('--queries <path>', 'search all queries of this collection instead')
    .option('--split <name>', 'only the queries of a split, e.g. test')
    .option('--run <file>', 'write the run file (TREC) here instead of to standard output')
    .option('--tag <name>', 'name of the run', 'bm25')
    .option(
      '--query-weights <run|dir>',
      "a model that says what the words of queries count for (DeepCT's, trained on queries)",
    )
    .option('--threads <n>', 'threads for --queries (default: all)', wholeNumber(1))
    .option('--json', 'print one JSON object a query')
    .addHelpText('after', EXAMPLES)
    .action(searchAction);
}

async function searchAction(folder: string, query: string | undefined, flags: SearchFlags): Promise<void> {
  if ((query === undefined) === (flags.queries === undefined)) {
    throw new UsageError('expected either a query or --queries', {
      hint: `nearmiss bm25 search ${folder} "vitamin D", or --queries data/scifact --split test`,
    });
  }
  for (const name of ['split', 'run'] as const) {
    if (flags[name] !== undefined && flags.queries === undefined) {
      throw new UsageError(`--${name} is of no use without --queries`);
    }
  }
  if (flags.json && flags.run) throw new UsageError('--json prints and --run writes: expected one of them');
  const options = toRankOptions(flags);
  const { openBm25Index } = await import('../../../index/bm25/open.js');
  const index = await openBm25Index(folder);
  if (flags.queryWeights !== undefined)
    return searchWeighed(index, query, { ...flags, queryWeights: flags.queryWeights });
  if (flags.queries !== undefined) return searchAll(index, flags.queries, flags);
  const { Bm25Ranker } = await import('../../../index/bm25/ranker.js');
  const ranked = new Bm25Ranker(index).rank(query!, options);
  if (flags.json) print(jsonLine(index, { text: query! }, ranked));
  else print(await formatHits(index, ranked, flags.data));
}

/** A model weighs the words of queries; the index is the same. */
async function searchWeighed(
  index: Bm25Index,
  query: string | undefined,
  flags: SearchFlags & { queryWeights: string },
): Promise<void> {
  if (flags.rm3)
    throw new UsageError('--rm3 and --query-weights both weigh the words of a query: expected one of them');
  const [{ openDataset }, { Bm25Ranker }, { openWeigher }, { Progress }] = await Promise.all([
    import('../../../data/open.js'),
    import('../../../index/bm25/ranker.js'),
    import('./open-weigher.js'),
    import('../../../base/progress.js'),
  ]);
  const { k, scoring = {} } = toRankOptions(flags);
  const searcher = new Bm25Ranker(index).searcher(scoring);
  const { weigher } = await openWeigher(flags.queryWeights, {
    language: index.meta.language,
    session: { threads: flags.threads },
  });
  const find = async (text: string): Promise<Ranked> =>
    searcher.searchTerms((await weigher.weighQueries([text]))[0], k);
  try {
    if (query !== undefined) {
      const ranked = await find(query);
      if (flags.json) print(jsonLine(index, { text: query }, ranked));
      else print(await formatHits(index, ranked, flags.data));
      return;
    }
    const queries = await loadQueries(await openDataset(flags.queries!), flags.split);
    const progress = new Progress({ label: 'search', unit: 'queries', total: queries.length });
    const output = await openOutput(flags.run);
    try {
      for (const each of queries) {
        await output.write(await formatQuery(index, each, await find(each.text), flags));
        progress.advance(1);
      }
      await output.commit();
    } catch (error) {
      await output.abort();
      throw error;
    }
    progress.finish();
  } finally {
    await weigher.release();
  }
}

async function searchAll(index: Bm25Index, data: string, flags: SearchFlags): Promise<void> {
  const [{ openDataset }, { Bm25SearchPool }, { Progress }] = await Promise.all([
    import('../../../data/open.js'),
    import('../../../index/bm25/search-pool.js'),
    import('../../../base/progress.js'),
  ]);
  const queries = await loadQueries(await openDataset(data), flags.split);
  const progress = new Progress({ label: 'search', unit: 'queries', total: queries.length });
  const pool = new Bm25SearchPool(index, { threads: flags.threads });
  const output = await openOutput(flags.run);
  try {
    for (let first = 0; first < queries.length; first += QUERIES_AT_ONCE) {
      const some = queries.slice(first, first + QUERIES_AT_ONCE);
      const texts = some.map(({ text }) => text);
      const found = await pool.search(texts, { ...toRankOptions(flags), onDone: (n) => progress.advance(n) });
      for (let i = 0; i < some.length; i++)
        await output.write(await formatQuery(index, some[i], found[i], flags));
    }
    await output.commit();
  } catch (error) {
    await output.abort();
    throw error;
  } finally {
    await pool.close();
  }
  progress.finish();
}

interface Output {
  write(text: string): Promise<void>;
  commit(): Promise<void>;
  abort(): Promise<void>;
}

async function openOutput(path: string | undefined): Promise<Output> {
  const { AtomicFile } = await import('../../../base/files.js');
  if (path !== undefined) return AtomicFile.create(path);
  return {
    write: printData,
    commit: async () => {},
    abort: async () => {},
  };
}

async function formatQuery(
  index: Bm25Index,
  query: Query,
  ranked: Ranked,
  flags: SearchFlags,
): Promise<string> {
  if (flags.json) return jsonLine(index, query, ranked);
  const { formatRun } = await import('../../../evaluate/write-run.js');
  const ids = Array.from(ranked.ids, (document) => index.documentId(document));
  const run = { tag: flags.tag, rankings: new Map([[query.id, { ids, scores: ranked.scores }]]) };
  return [...formatRun(run)].join('');
}

function jsonLine(index: Bm25Index, query: { id?: string; text: string }, { ids, scores }: Ranked): string {
  const hits = Array.from(ids, (document, i) => ({ id: index.documentId(document), score: scores[i] }));
  return `${jsonText({ query: query.id, text: query.text, hits })}\n`;
}

async function formatHits(
  index: Bm25Index,
  { ids, scores }: Ranked,
  data: string | undefined,
): Promise<string> {
  if (ids.length === 0) return 'nothing found: no document has a term of this query\n';
  const { formatTable } = await import('../../../base/table.js');
  const names = Array.from(ids, (document) => index.documentId(document));
  const texts = data === undefined ? undefined : await textsOf(data, names);
  const rows = names.map((name, i) => [
    `${i + 1}`,
    scores[i].toFixed(4),
    name,
    ...(texts ? [texts.get(name) ?? ''] : []),
  ]);
  const header = ['rank', 'score', 'id', ...(texts ? ['document'] : [])];
  return formatTable({ header, rows, numeric: [true, true, false, false].slice(0, header.length) });
}

/** Title and beginning of each of a few documents, found by reading through the collection. */
async function textsOf(data: string, names: string[]): Promise<Map<string, string>> {
  const [{ openDataset }, { fullText }] = await Promise.all([
    import('../../../data/open.js'),
    import('../../../data/dataset.js'),
  ]);
  const wanted = new Set(names);
  const texts = new Map<string, string>();
  for await (const document of (await openDataset(data)).documents()) {
    if (wanted.delete(document.id))
      texts.set(document.id, shorten(fullText(document).replace(/\s+/g, ' '), 90));
    if (wanted.size === 0) break;
  }
  return texts;
}
