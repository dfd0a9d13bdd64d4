import { Option } from 'commander';
import { UsageError } from '../../base/errors.js';
import { firstModeNames, searchModes } from '../../search/retrievers/modes.js';
import type { OpenSearcherOptions } from '../../search/searcher.js';
import type { RegisterCommand } from '../command.js';
import { COLLECTION_MODEL, checkModes, modeOption } from '../options/mode-options.js';
import { list, notBlank, numbersBetween, repeated, wholeNumber } from '../options/option-parsers.js';
import { precisionOption } from '../options/precision-option.js';
import { providerOption } from '../options/provider-option.js';
import { print, printJson, printStyled, tell } from '../output.js';
import type { AnswerSettings } from './search/answer.js';
import type { SearchFlags } from './search/options.js';
import { checkRerankFlags } from './search/rerank-flags.js';

const EXAMPLES = `
Examples:
  nearmiss search runs/medquad "what causes anemia"
  nearmiss search runs/medquad                                          asks for queries; :help there
  nearmiss search runs/medquad --json < questions.txt                   every line is a query
  nearmiss search runs/medquad "what causes anemia" --compare bm25,dense,hybrid
  nearmiss search runs/medquad "anemia" --filter 'year>=2000' --filter lang=en --explain
  nearmiss search ./docs "how do I log in"                              a folder: words and vectors, made once
  nearmiss search ./docs "how do I log in" --mode bm25                  words alone, at once
  nearmiss search ./docs "how do I log in" --group-by file              the best passage of each file
  nearmiss search runs/medquad --tune dev --measure RR@10               weights for hybrid, kept for later
  nearmiss search runs/medquad --mode dense --queries data/medquad --split test --k 100 --run ance.trec
  nearmiss search runs/medquad --mode cascade --reranker runs/reranker/best "anemia" --json
  nearmiss search runs/medquad --mode cascade --reranker runs/reranker/best --rerank-first bm25 "anemia"`;

export const registerSearch: RegisterCommand = (program) => {
  program
    .command('search')
    .summary('search a run, an index or a collection')
    .description(
      'Finds the best documents for a query, for all queries of a collection, or for what is typed at a prompt.',
    )
    .argument('<target>', 'a run, a vector index (with --model), a BM25 index, or a collection')
    .argument('[query]', 'what to look for; left out, queries are read from the terminal or a pipe', notBlank)
    .addOption(
      modeOption(
        '--mode <mode>',
        'how to search (default: hybrid; dense in a run trained on labels, until hybrid is tuned)',
        searchModes.names,
      ),
    )
    .option('--compare <modes>', 'several modes side by side, e.g. bm25,dense,hybrid', list)
    .option('-k, --k <n>', 'hits for each query', wholeNumber(1), 10)
    .option('--filter <condition>', 'only documents whose metadata match; may be repeated', repeated)
    .option('--explain', 'show how each score came about')
    .option('--group-by <field>', 'one hit for each `file`, or for each value of a field of the metadata')
    .option('--data <dir>', 'the collection (a run knows its own)')
    .option(
      '--model <model>',
      'the model that encoded the index, or is to encode the collection, or the run that it is from (default: minilm)',
    )
    .option('--reranker <model>', 'a cross-encoder, for the mode cascade')
    .option('--rerank-depth <n>', 'hits that the cascade reranks (default: 100)', wholeNumber(1))
    .addOption(
      modeOption(
        '--rerank-first <mode>',
        'what finds them (default: as searched by default)',
        firstModeNames(),
      ),
    )
    .addOption(
      new Option(
        '--fusion <method>',
        'how hybrid fuses (default: as tuned, else by normalised scores)',
      ).choices(['rrf', 'linear']),
    )
    .option('--weights <dense,bm25>', 'weights of vectors and words in hybrid, e.g. 1,0.1', numbersBetween(0))
    .option('--tune <split>', 'find the weights of hybrid on judged queries, and keep them')
    .option('--measure <name>', 'what to tune for (default: nDCG@10)')
    .option('--queries <dir>', 'search all queries of this collection instead')
    .option('--split <name>', 'only the queries of a split, e.g. test')
    .option('--run <file>', 'the run file (TREC) to write')
    .option('--tag <name>', 'name of the run (default: the mode)')
    .option('--cache <dir>', 'where to keep what has to be made (default: in the target)')
    .option('--threads <n>', 'threads to compute with (default: all cores)', wholeNumber(1))
    .addOption(providerOption())
    .addOption(precisionOption())
    .option('--json', 'print hits as JSON')
    .addHelpText('after', EXAMPLES)
    .action(searchCommand);
};

async function searchCommand(target: string, query: string | undefined, flags: SearchFlags): Promise<void> {
  checkUsage(target, query, flags);
  const [{ openSearcher }, { openTellingCosts }, { allOf, parseFilter }, { KnownFields }, { styleOf }] =
    await Promise.all([
      import('../../search/open/open-searcher.js'),
      import('./search/encoding.js'),
      import('../../search/filter/filter-text.js'),
      import('../../search/filter/known-fields.js'),
      import('./search/style.js'),
    ]);
  const open = await openOptions(flags);
  if (flags.tune !== undefined) return tune(target, flags, open);
  const filter = allOf((flags.filter ?? []).map(parseFilter));
  const modes = flags.compare ?? (flags.mode === undefined ? undefined : [flags.mode]);
  // At the prompt the mode may change.
  const fixed = query !== undefined || flags.queries !== undefined || !process.stdin.isTTY;
  const isAskedFor = modes !== undefined || flags.model !== undefined;
  const searcher = await openTellingCosts({ isAskedFor }, (telling) =>
    openSearcher(target, { ...open, ...telling, ...(fixed && modes && { modes }) }),
  );
  try {
    const { k, explain, groupBy, json, queries, split, run, tag } = flags;
    const known = new KnownFields();
    await known.check(searcher.documents, filter);
    await known.checkGroups(searcher.documents, groupBy);
    for (const mode of modes ?? []) searcher.retriever(mode);
    if (queries !== undefined) {
      const { searchAll } = await import('./search/search-all.js');
      const mode = flags.mode ?? searcher.defaultMode;
      return await searchAll(searcher, { mode, k, filter, queries, split, run: run!, tag });
    }
    const settings: AnswerSettings = {
      modes: modes ?? [searcher.defaultMode],
      k,
      filter,
      explain,
      groupBy,
      json,
    };
    const style = styleOf(process.stdout);
    if (query !== undefined) {
      const { answer } = await import('./search/answer.js');
      printStyled((await answer(searcher, query, settings, style)).output);
      return;
    }
    const { stdin: input, stdout: output, stderr: errors } = process;
    const session = { searcher, settings, style, input, output, errors };
    if (input.isTTY) {
      const { runPrompt } = await import('./search/prompt.js');
      return await runPrompt(session);
    }
    const { answerLines } = await import('./search/answer-lines.js');
    if ((await answerLines(session)) > 0) process.exitCode = 1;
  } finally {
    await searcher.close();
  }
}

function checkUsage(target: string, query: string | undefined, flags: SearchFlags): void {
  if (query !== undefined && flags.queries !== undefined) {
    throw new UsageError('search: expected either a query or --queries, got both');
  }
  if (flags.queries !== undefined && flags.run === undefined) {
    throw new UsageError('search: --queries needs --run FILE to write what was found');
  }
  if (query !== undefined && flags.tune !== undefined) {
    throw new UsageError('search: expected either a query or --tune, got both');
  }
  if (flags.run !== undefined && flags.queries === undefined) {
    throw new UsageError('search: --run writes what --queries found', {
      hint: `nearmiss search ${target} --queries data/medquad --split test --run ${flags.run}`,
    });
  }
  for (const name of ['split', 'tag'] as const) {
    if (flags[name] !== undefined && flags.queries === undefined) {
      throw new UsageError(`search: --${name} is of no use without --queries`);
    }
  }
  if (flags.measure !== undefined && flags.tune === undefined) {
    throw new UsageError('search: --measure is of no use without --tune', {
      hint: 'to measure what was found: --queries with --run, then nearmiss eval',
    });
  }
  if (flags.groupBy !== undefined && (flags.queries !== undefined || flags.compare)) {
    throw new UsageError('search: --group-by groups the hits of one mode', {
      hint: 'leave out --queries and --compare',
    });
  }
  if (flags.compare && (flags.mode || flags.queries !== undefined)) {
    throw new UsageError('search: --compare shows one query in several modes', {
      hint: 'leave out --mode and --queries; `nearmiss compare` compares runs',
    });
  }
  checkModes('search: --mode', flags.mode, searchModes.names);
  checkModes('search: --compare', flags.compare, searchModes.names);
  checkRerankFlags('search', flags);
  if (flags.weights && flags.weights.length !== 2) {
    throw new UsageError(
      `search: --weights: expected two, of vectors and of words, got ${flags.weights.length}`,
    );
  }
}

async function openOptions(flags: SearchFlags): Promise<OpenSearcherOptions> {
  const { countedUnits, Progress } = await import('../../base/progress.js');
  const {
    data,
    model,
    reranker,
    rerankDepth,
    rerankFirst,
    cache,
    threads,
    provider,
    precision,
    fusion,
    weights,
  } = flags;
  return {
    data,
    model,
    collectionModel: COLLECTION_MODEL,
    reranker,
    rerankDepth,
    rerankFirst,
    cache,
    threads,
    session: { provider, precision },
    ...((fusion || weights) && { fusion: { method: fusion ?? 'linear', weights } }),
    onNote: (note) => tell(`${note}\n`),
    onProgress: ({ label, unit, total, place }) => {
      const amount = total === undefined ? `all ${unit}` : countedUnits(total, unit);
      tell(`${label}: ${amount}, once; kept in ${place}\n`);
      const progress = new Progress({ label, unit, total });
      return { advance: (units) => progress.advance(units), finish: () => progress.finish() };
    },
  };
}

async function tune(target: string, flags: SearchFlags, open: OpenSearcherOptions): Promise<void> {
  const [{ tuneHybrid }, { Progress }] = await Promise.all([
    import('../../search/tune-hybrid.js'),
    import('../../base/progress.js'),
  ]);
  const progress = new Progress({ label: 'tune', unit: 'searches' });
  const { split, measure, value, weights, method } = await tuneHybrid(target, {
    ...open,
    split: flags.tune!,
    measure: flags.measure,
    onDone: (n) => progress.advance(n),
  });
  progress.finish();
  const [dense, bm25] = weights;
  const result = { split, measure, value, method, weights: { dense, bm25 } };
  const text = `${measure} ${value.toFixed(4)} on ${split} with ${dense} × dense + ${bm25} × bm25\n`;
  if (flags.json) printJson(result);
  else print(text);
}
