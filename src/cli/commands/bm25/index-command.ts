import { type Command, Option } from 'commander';
import { UsageError } from '../../../base/errors.js';
import { secondsSince } from '../../../base/numbers/seconds-since.js';
import type { Document } from '../../../data/dataset.js';
import type { BuildOptions } from '../../../index/bm25/build.js';
import type { Bm25Meta } from '../../../index/bm25/format.js';
import type { FrequencyOptions } from '../../../model/terms/document-weights.js';
import type { Language } from '../../../text/analyzers/analyzer.js';
import { numberBetween, wholeNumber } from '../../options/option-parsers.js';
import { print, printJson } from '../../output.js';
import { addSourceOptions, type SourceFlags, toOpenOptions } from '../data/source-options.js';

interface IndexFlags extends SourceFlags {
  language: Language;
  memory: number;
  vectors?: boolean;
  overwrite?: boolean;
  weights?: string;
  pieces?: number;
  combine?: FrequencyOptions['combine'];
  transform?: FrequencyOptions['transform'];
  scale?: number;
  threads?: number;
  json?: boolean;
}

const EXAMPLES = `
Languages:
  en        words, lower case, 33 stop words, Porter stems: Lucene's EnglishAnalyzer, Anserini's default
  unicode   words in lower case, for any language that writes words apart
  cjk       Chinese, Japanese, Korean: every two neighbouring characters

--memory bounds the postings and words kept before a sorted run goes to disk; runs are merged in the end, and the
index is the same whatever it is. The process itself needs about 100 MB beside it.

With --weights a model says what each word counts for where it stands (DeepCT; long documents in passages, HDCT); k1 and b have
to be tuned again: nearmiss bm25 tune INDEX --data DATA --save. What a run was trained with holds unless said otherwise.

Examples:
  nearmiss bm25 index data/scifact indexes/scifact
  nearmiss bm25 index collection.tsv indexes/msmarco --memory 1000 --vectors
  nearmiss bm25 index data/mine indexes/deepct --weights runs/deepct
  nearmiss bm25 index data/long indexes/hdct --weights runs/hdct --pieces 8 --combine decay
  nearmiss bm25 index data/zh indexes/zh --language cjk --json`;

export function registerBm25Index(bm25: Command): void {
  const command = bm25
    .command('index')
    .summary('index a collection')
    .description('Indexes the titles and texts of a collection into a folder.')
    .argument('<data>', 'a BEIR folder, or any collection that "nearmiss data import" reads')
    .argument('<index>', 'folder to make');
  addSourceOptions(command)
    .addOption(
      new Option('--language <name>', 'how text becomes terms')
        .choices(['en', 'unicode', 'cjk'])
        .default('en'),
    )
    .option('--memory <MB>', 'memory before a run goes to disk', wholeNumber(4), 256)
    .option('--vectors', "store each document's terms too, which search --rm3 needs")
    .option('--weights <run|dir>', 'a model of the recipe deepct or hdct, which says what words count for')
    .option('--pieces <n>', 'with --weights: passages of a document that are read', wholeNumber(1))
    .addOption(
      new Option('--combine <how>', 'with --weights: how passages are put together').choices([
        'sum',
        'decay',
        'mean',
        'max',
      ]),
    )
    .addOption(
      new Option(
        '--transform <name>',
        'with --weights: frequencies grow with the weight, or with its root',
      ).choices(['linear', 'sqrt']),
    )
    .option('--scale <number>', 'with --weights: frequency of a word of weight 1', numberBetween(1, 10_000))
    .option('--threads <n>', 'with --weights: threads of the model (default: all cores)', wholeNumber(1))
    .option('--overwrite', 'replace an index that is there')
    .option('--json', 'print what was made as JSON')
    .addHelpText('after', EXAMPLES)
    .action(indexAction);
}

async function indexAction(data: string, folder: string, flags: IndexFlags): Promise<void> {
  checkFlags(flags);
  const [
    { openSources },
    { SourcesDataset },
    { buildBm25Index },
    { Progress, count },
    { estimateLines },
    { tellLeftOut },
  ] = await Promise.all([
    import('../../../data/open.js'),
    import('../../../data/sources-dataset.js'),
    import('../../../index/bm25/build.js'),
    import('../../../base/progress.js'),
    import('../../inputs/estimate-lines.js'),
    import('../../inputs/tell-left-out.js'),
  ]);
  const sources = await openSources(data, toOpenOptions(flags));
  const total = await estimateLines(sources.documents.map(({ file }) => file));
  const progress = new Progress({ label: 'index', unit: 'documents', total });
  const started = performance.now();
  let done = 0;
  const perSecond = (): string => `${count(done / secondsSince(started))} documents/s`;
  const documents = new SourcesDataset(sources).documents();
  const options = {
    memoryMb: flags.memory,
    overwrite: flags.overwrite,
    onDocument: () => progress.advance(1, ++done % 100 === 0 ? perSecond() : undefined),
  };
  const { language, vectors, weights } = flags;
  const meta =
    weights === undefined
      ? await buildBm25Index(folder, documents, { ...options, language, vectors })
      : await buildWeighed(folder, documents, { ...flags, weights }, options);
  progress.finish(perSecond());
  tellLeftOut(sources);
  const bytes = Object.values(meta.files).reduce((sum, file) => sum + file.bytes, 0);
  const summary = { index: folder, ...counts(meta), bytes };
  if (flags.json) printJson(summary);
  else {
    print(
      `${folder}: ${count(meta.documents)} documents, ${count(meta.terms)} terms, ` +
        `${count(meta.postings)} postings, ${(bytes / 1e6).toFixed(1)} MB\n`,
    );
  }
}

function counts({ language, documents, terms, postings, totalLength }: Bm25Meta) {
  return { language, documents, terms, postings, averageLength: totalLength / documents };
}

/** Flags of weights without a model, or that a weighed index has no use for, are mistakes. */
function checkFlags(flags: IndexFlags): void {
  if (flags.weights !== undefined) {
    if (flags.vectors)
      throw new UsageError('--vectors and --weights: expected one of them, as RM3 counts words');
    return;
  }
  for (const name of ['pieces', 'combine', 'transform', 'scale', 'threads'] as const) {
    if (flags[name] !== undefined) throw new UsageError(`--${name} is of no use without --weights`);
  }
}

async function buildWeighed(
  folder: string,
  documents: AsyncIterable<Document>,
  { language, weights, threads, ...flags }: IndexFlags & { weights: string },
  options: BuildOptions,
): Promise<Bm25Meta> {
  const [{ buildTermIndex }, { openWeigher }] = await Promise.all([
    import('../../../index/terms/build-term-index.js'),
    import('./open-weigher.js'),
  ]);
  const { weigher, frequencies, split } = await openWeigher(weights, { language, session: { threads } });
  const { pieces, combine, transform, scale } = flags;
  try {
    return await buildTermIndex(folder, documents, weigher, {
      ...options,
      frequencies: {
        transform: transform ?? frequencies.transform,
        combine: combine ?? frequencies.combine,
        scale: scale ?? frequencies.scale,
      },
      split: { ...split, maxPieces: pieces ?? split.maxPieces },
    });
  } finally {
    await weigher.release();
  }
}
