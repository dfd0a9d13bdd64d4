import { type Command, Option } from 'commander';
import { UsageError } from '../../base/errors.js';
import { flagName } from '../options/flag-name.js';
import { numberBetween, wholeNumber } from '../options/option-parsers.js';
import { precisionOption } from '../options/precision-option.js';
import { FORMATS, type MineFlags, SOURCES } from './mine/flags.js';

const EXAMPLES = `
Sources:
  bm25     rank with BM25; --index names an index of the collection, else a temporary one is built
  model    encode the collection with --model and rank by exact search: what a refresh of ANCE does
  run      rankings of any other system, as a TREC or MS MARCO run of the training queries
  static   the negatives of training examples: the collection's own, or those in --examples

Every document judged relevant to a query is excluded, always, and so is one with the same text. The other rules guard
against relevant documents that nobody has judged; look at the samples to see whether you need them. Rules apply in the
order of the report, and each counts what the ones before it left.

Without --out nothing is written. A table is a folder with ids, scores and ranks; tevatron (with ids) and flagembedding
(with texts) are JSON lines, where queries without a negative are left out.

Examples:
  nearmiss mine data/scifact --show 5                                            look first
  nearmiss mine data/scifact --skip-ranks 5 --relative-margin .95 --preview      what rules would drop
  nearmiss mine data/scifact --out negatives/bm25                                BM25's top 200
  nearmiss mine data/scifact --source model --model minilm --relative-margin .95 --out negatives/minilm
  nearmiss mine data/squad --drop-answers --depth 100 --out negatives/squad
  nearmiss mine data/scifact --source run --run splade.trec --skip-ranks 10 --out negatives/splade
  nearmiss mine data/scifact --format flagembedding --negatives 15 --out train.jsonl.gz
  nearmiss mine data/scifact --show 0 --json | jq .report`;

/** `nearmiss mine`: candidates for negatives, to look at before training and to train with, here or elsewhere. */
export function registerMine(program: Command): void {
  program
    .command('mine')
    .summary('find hard negatives and look at them')
    .description('Ranks documents for the training queries and keeps those that may serve as negatives.')
    .argument('<data>', 'a BEIR folder, or any collection that "nearmiss data import" reads')
    .option('--split <name>', 'split whose queries to mine for', 'train')
    .addOption(new Option('--source <name>', 'what ranks').choices(SOURCES).default('bm25'))
    .option('--index <folder>', 'bm25: an index of the collection')
    .addOption(
      new Option('--language <name>', 'bm25: how text becomes terms, without --index')
        .choices(['en', 'unicode', 'cjk'])
        .default('en'),
    )
    .option('--k1 <number>', "bm25: BM25's k1 (default: 0.9)", numberBetween(0, 1000))
    .option('--b <number>', "bm25: BM25's b (default: 0.4)", numberBetween(0, 1))
    .option('--model <name>', 'model: minilm, a folder, or a hub id')
    .option('--max-length <tokens>', "model: tokens kept of each text (default: the model's)", wholeNumber(3))
    .option('--run <file>', 'run: a run file (TREC or MS MARCO)')
    .option('--examples <file>', 'static: a training file of any format that "data import" reads')
    .option('--depth <n>', 'last rank to look at', wholeNumber(1), 200)
    .option('--skip-ranks <n>', 'leave out the first n ranks', wholeNumber(0), 0)
    .option('--margin <x>', "drop what scores above the positive's score − x", numberBetween(0, 1e9))
    .option(
      '--relative-margin <x>',
      "drop what scores above x × the positive's score",
      numberBetween(0.01, 1),
    )
    .option('--max-score <x>', 'drop what scores above x', numberBetween(-1e9, 1e9))
    .option('--drop-answers', 'drop what contains an answer of the query (metadata.answers)')
    .option('--keep-duplicates', "keep documents with a positive's text under another id")
    .option('--out <path>', 'folder (table) or file to write')
    .addOption(new Option('--format <name>', 'what to write').choices(FORMATS).default('table'))
    .option('--negatives <n>', 'training files: draw n for each query (default: all)', wholeNumber(1))
    .option('--show <n>', 'show the negatives of n queries', wholeNumber(0), 3)
    .option('--preview', 'show also what each rule drops of these queries (×), and write nothing')
    .option('--seed <n>', 'decides which queries are shown and which negatives drawn', wholeNumber(0), 42)
    .option('--threads <n>', 'threads (default: all cores)', wholeNumber(1))
    .addOption(precisionOption())
    .option('--overwrite', 'replace what was mined there before')
    .option('--json', 'print report and samples as JSON')
    .addHelpText('after', EXAMPLES)
    .action(mineAction);
}

async function mineAction(data: string, flags: MineFlags): Promise<void> {
  checkFlags(flags);
  const { mineCommand } = await import('./mine/mine-command.js');
  await mineCommand(data, flags);
}

/** Which flags belong to one source only. */
const FLAGS_OF = {
  bm25: ['index', 'k1', 'b'],
  model: ['model', 'maxLength'],
  run: ['run'],
  static: ['examples'],
} as const;

function checkFlags(flags: MineFlags): void {
  for (const [source, names] of Object.entries(FLAGS_OF)) {
    const stray = names.find((name) => flags[name] !== undefined);
    if (source !== flags.source && stray) {
      throw new UsageError(`${flagName(stray)} is of no use with --source ${flags.source}`, {
        hint: `did you mean --source ${source}?`,
      });
    }
  }
  if (flags.source === 'model' && !flags.model) throw missing('--model', 'model', 'minilm');
  if (flags.source === 'run' && !flags.run) throw missing('--run', 'run', 'bm25.trec');
  if (flags.skipRanks >= flags.depth) {
    throw new UsageError(
      `--skip-ranks ${flags.skipRanks} leaves nothing of the ${flags.depth} ranks of --depth`,
      {
        hint: 'skip fewer, or look deeper',
      },
    );
  }
  if (flags.negatives !== undefined && flags.format === 'table') {
    throw new UsageError('--negatives is of no use with --format table, which keeps every candidate', {
      hint: 'how many are drawn is said when training; or choose --format tevatron or flagembedding',
    });
  }
  if (flags.preview && flags.out !== undefined) {
    throw new UsageError('--preview writes nothing, and --out says where to write', {
      hint: 'leave one of the two out',
    });
  }
  if (flags.preview && flags.show === 0) {
    throw new UsageError('--preview shows queries, and --show 0 shows none', { hint: 'e.g. --show 5' });
  }
  if (flags.out === undefined && flags.format !== 'table') {
    throw new UsageError(`--format ${flags.format} writes a file: expected --out with it`);
  }
}

function missing(flag: string, source: string, example: string): UsageError {
  return new UsageError(`--source ${source}: expected ${flag} with it`, { hint: `e.g. ${flag} ${example}` });
}
