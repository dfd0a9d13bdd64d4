import { type Command, Option } from 'commander';
import type { Bm25Meta } from '../../../index/bm25/format.js';
import type { Language } from '../../../text/analyzers/analyzer.js';
import { wholeNumber } from '../../option-parsers.js';
import { print, printJson } from '../../output.js';
import { addSourceOptions, type SourceFlags, toOpenOptions } from '../data/source-options.js';

interface IndexFlags extends SourceFlags {
  language: Language;
  memory: number;
  vectors?: boolean;
  overwrite?: boolean;
  json?: boolean;
}

const EXAMPLES = `
Languages:
  en        words, lower case, 33 stop words, Porter stems: Lucene's EnglishAnalyzer, Anserini's default
  unicode   words in lower case, for any language that writes words apart
  cjk       Chinese, Japanese, Korean: every two neighbouring characters

--memory bounds the postings and words kept before a sorted run goes to disk; runs are merged in the end, and the
index is the same whatever it is. The process itself needs about 100 MB beside it.

Examples:
  nearmiss bm25 index data/scifact indexes/scifact
  nearmiss bm25 index collection.tsv indexes/msmarco --memory 1000 --vectors
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
    .option('--overwrite', 'replace an index that is there')
    .option('--json', 'print what was made as JSON')
    .addHelpText('after', EXAMPLES)
    .action(indexAction);
}

async function indexAction(data: string, folder: string, flags: IndexFlags): Promise<void> {
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
    import('../../estimate-lines.js'),
    import('../../tell-left-out.js'),
  ]);
  const sources = await openSources(data, toOpenOptions(flags));
  const total = await estimateLines(sources.documents.map(({ file }) => file));
  const progress = new Progress({ label: 'index', unit: 'documents', total });
  const started = performance.now();
  let done = 0;
  const perSecond = (): string => `${count(done / ((performance.now() - started) / 1000))} documents/s`;
  const meta = await buildBm25Index(folder, new SourcesDataset(sources).documents(), {
    language: flags.language,
    memoryMb: flags.memory,
    vectors: flags.vectors,
    overwrite: flags.overwrite,
    onDocument: () => progress.advance(1, ++done % 100 === 0 ? perSecond() : undefined),
  });
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
