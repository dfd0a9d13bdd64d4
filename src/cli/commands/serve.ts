import { resolve } from 'node:path';
import { Option } from 'commander';
import { UsageError } from '../../base/errors.js';
import type { Precision } from '../../model/precision/precision.js';
import { firstModeNames, searchModes } from '../../search/retrievers/modes.js';
import type { SearchMode } from '../../search/retrievers/retriever.js';
import { parseOrigin } from '../../serve/access/origins.js';
import { DEFAULT_LIMITS } from '../../serve/limits.js';
import { DEFAULT_KEY_FILE, LOG_LEVELS, type LogLevel } from '../../serve/names.js';
import type { RegisterCommand } from '../command.js';
import { COLLECTION_MODEL, checkModes, modeOption } from '../options/mode-options.js';
import { numberBetween, repeated, wholeNumber } from '../options/option-parsers.js';
import { precisionOption } from '../options/precision-option.js';
import { providerOption } from '../options/provider-option.js';
import { checkRerankFlags } from './search/rerank-flags.js';
import { registerServeKeys } from './serve/keys.js';

interface ServeOptions {
  host: string;
  port: number;
  data?: string;
  model?: string;
  mode?: SearchMode;
  reranker?: string;
  rerankDepth?: number;
  rerankFirst?: SearchMode;
  threads?: number;
  provider?: string;
  precision?: Precision;
  runs?: string;
  keys?: string;
  insecure?: boolean;
  readOnly?: boolean;
  state?: string;
  watch?: number | true;
  cors?: string[];
  logLevel: LogLevel;
  maxK?: number;
  maxBatch?: number;
  maxBodyMb?: number;
  maxConcurrent?: number;
  maxWaiting?: number;
  timeout?: number;
  grace?: number;
}

const WATCH_SECONDS = 2;

const EXAMPLES = `
Examples:
  nearmiss serve runs/medquad                          search page, API and documentation on http://127.0.0.1:8080
  nearmiss serve ./docs                                a folder: by words at once, by vectors when they are made
  nearmiss serve ./docs --mode bm25                    by words alone
  nearmiss serve data/faq data/manual runs/medquad     several, to choose between on the page
  nearmiss serve runs/medquad --watch                  follows the training: a better model takes over by itself
  nearmiss serve runs/medquad --reranker runs/reranker/best --runs runs
  nearmiss serve keys add --role write --name ci       makes an API key, then
  nearmiss serve runs/medquad --host 0.0.0.0 --keys nearmiss-keys.json

  curl localhost:8080/v1/search -H 'content-type: application/json' -d '{"query": "what causes anemia"}'

Signals: SIGHUP looks for a newer index; SIGTERM and SIGINT finish what is under way and stop.`;

/** `nearmiss serve …` */
export const registerServe: RegisterCommand = (program) => {
  const serve = program
    .command('serve')
    .summary('answer over HTTP, with a search page')
    .description(
      'Serves a run, an index or a collection: search, vectors, documents that can be changed, a web UI.',
    )
    .argument('<targets...>', 'a run, a vector or BM25 index, or a collection; several, or a folder of them')
    .option('--host <address>', 'what to listen on; other machines need --keys', '127.0.0.1')
    .option('--port <n>', '0 takes any free one', portNumber, 8080)
    .option('--data <dir>', 'the collection (a run knows its own)')
    .option(
      '--model <model>',
      'the model that encoded the index, or is to encode the collection, or the run that it is from (default: minilm)',
    )
    .addOption(
      modeOption(
        '--mode <mode>',
        'open only what this way to search needs (default: whatever is possible)',
        searchModes.names,
      ),
    )
    .option('--reranker <dir>', 'a cross-encoder, for the mode cascade')
    .option('--rerank-depth <n>', 'how many hits it reranks (default: 100)', wholeNumber(1))
    .addOption(
      modeOption(
        '--rerank-first <mode>',
        'what finds them (default: as searched by default)',
        firstModeNames(),
      ),
    )
    .option('--threads <n>', 'threads to compute with (default: all cores)', wholeNumber(1))
    .addOption(providerOption())
    .addOption(precisionOption())
    .option('--runs <dir>', 'a folder of runs to show besides the one served')
    .option('--keys <file>', `API keys (default: ${DEFAULT_KEY_FILE} where there is one)`)
    .option('--insecure', 'without keys, be reachable from other machines all the same')
    .option('--read-only', 'documents cannot be changed')
    .option('--state <dir>', 'where changed documents are kept (default: .nearmiss/live in the target)')
    .option(
      '--watch [seconds]',
      `look for something newer every so often (${WATCH_SECONDS})`,
      numberBetween(0.1, 86_400),
    )
    .option('--cors <origin>', 'pages of this origin, or * for all, may use the API (repeatable)', origins)
    .addOption(new Option('--log-level <level>', 'what to log on stderr').choices(LOG_LEVELS).default('info'))
    .option('--max-k <n>', `hits for a query ${usual(DEFAULT_LIMITS.k)}`, wholeNumber(1))
    .option(
      '--max-batch <n>',
      `queries, texts or documents in a request ${usual(DEFAULT_LIMITS.batch)}`,
      wholeNumber(1),
    )
    .option(
      '--max-body-mb <n>',
      `size of a request ${usual(DEFAULT_LIMITS.bodyBytes / 2 ** 20)}`,
      numberBetween(0.001, 1024),
    )
    .option(
      '--max-concurrent <n>',
      `requests worked on at once ${usual(DEFAULT_LIMITS.concurrent)}`,
      wholeNumber(1),
    )
    .option(
      '--max-waiting <n>',
      `requests that may wait; more get 429 ${usual(DEFAULT_LIMITS.waiting)}`,
      wholeNumber(0),
    )
    .option(
      '--timeout <seconds>',
      `for the work of a request ${usual(DEFAULT_LIMITS.workMs / 1000)}`,
      numberBetween(0.01, 86_400),
    )
    .option(
      '--grace <seconds>',
      `for requests to finish when stopping ${usual(DEFAULT_LIMITS.graceMs / 1000)}`,
      numberBetween(0, 86_400),
    )
    .addHelpText('after', EXAMPLES)
    .action(serveCommand);
  registerServeKeys(serve);
};

async function serveCommand(targets: string[], options: ServeOptions): Promise<void> {
  const { host, port, runs, readOnly, insecure, state, cors, logLevel } = options;
  if (targets.length > 1 && options.data !== undefined) {
    throw new UsageError('serve: --data says where the collection of one target is, got several targets');
  }
  if (readOnly && state !== undefined) throw new UsageError('serve: --state is of no use with --read-only');
  checkModes('serve: --mode', options.mode, searchModes.names);
  checkRerankFlags('serve', options);
  const { serveTarget } = await import('../../serve/serve-target.js');
  const { runUntilStopped } = await import('./serve/run-until-stopped.js');
  const search = await searchOptions(options);
  const watch = await watching(targets, options);
  const server = await serveTarget(targets, {
    ...{ host, port, runs, readOnly, insecure, state, cors, logLevel },
    ...(await keyFile(options.keys)),
    limits: limitsOf(options),
    search,
  });
  await runUntilStopped(server, { port, watch });
}

/** Asked before the targets are opened, so that no change since is missed. */
async function watching(targets: readonly string[], { watch, data, model, reranker }: ServeOptions) {
  if (watch === undefined) return [];
  const { targetState } = await import('../../serve/watch.js');
  const search = { data, model, reranker };
  const everyMs = (watch === true ? WATCH_SECONDS : watch) * 1000;
  return Promise.all(
    targets.map(async (target) => ({ target, seen: await targetState(target, search), everyMs, search })),
  );
}

/** The file of keys: the one that was named, or one that lies here, which is then told. */
async function keyFile(given: string | undefined): Promise<{ keys?: string; keysFound?: boolean }> {
  if (given !== undefined) return { keys: given };
  const { exists } = await import('../../base/files.js');
  return (await exists(DEFAULT_KEY_FILE)) ? { keys: resolve(DEFAULT_KEY_FILE), keysFound: true } : {};
}

/** On a terminal a bar shows what is being prepared; elsewhere the log does. */
async function searchOptions(options: ServeOptions) {
  const { data, model, mode, reranker, rerankDepth, rerankFirst, threads, provider, precision } = options;
  const modes = mode === undefined ? undefined : [mode];
  const collectionModel = COLLECTION_MODEL;
  const session = { provider, precision };
  const given = { data, model, collectionModel, modes, reranker, rerankDepth, rerankFirst, threads, session };
  if (!process.stderr.isTTY) return given;
  const { Progress } = await import('../../base/progress.js');
  return {
    ...given,
    onProgress: (step: { label: string; unit: string; total?: number }) => new Progress(step),
  };
}

function usual(value: number): string {
  return `(default: ${value})`;
}

function origins(text: string, before?: string[]): string[] {
  return repeated(parseOrigin(text), before);
}

function portNumber(text: string): number {
  numberBetween(0, 65_535)(text);
  return wholeNumber(0)(text);
}

function limitsOf(options: ServeOptions): Record<string, number> {
  const { maxK, maxBatch, maxBodyMb, maxConcurrent, maxWaiting, timeout, grace } = options;
  const limits = {
    k: maxK,
    batch: maxBatch,
    bodyBytes: maxBodyMb && Math.round(maxBodyMb * 2 ** 20),
    concurrent: maxConcurrent,
    waiting: maxWaiting,
    workMs: timeout && timeout * 1000,
    graceMs: grace && grace * 1000,
  };
  return Object.fromEntries(
    Object.entries(limits).filter((entry): entry is [string, number] => entry[1] !== undefined),
  );
}
