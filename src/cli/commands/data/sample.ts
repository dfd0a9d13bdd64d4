import type { Command } from 'commander';
import { checkApart } from '../../../base/folders/check-apart.js';
import { counted } from '../../../base/progress.js';
import { list, wholeNumber } from '../../options/option-parsers.js';
import { print, printJson } from '../../output.js';

interface SampleFlags {
  documents: number;
  queries: number;
  from?: string[];
  seed: number;
  gzip?: boolean;
  overwrite?: boolean;
  json?: boolean;
}

export function registerSample(data: Command): void {
  data
    .command('sample')
    .summary('make a smaller collection')
    .description('Makes a smaller collection: some queries, all their relevant documents, others by chance.')
    .argument('<source>', 'a BEIR folder, or anything that import reads')
    .argument('<out>', 'the folder to write')
    .requiredOption('--documents <n>', 'how many documents in all', wholeNumber(1))
    .requiredOption('--queries <n>', 'how many judged queries', wholeNumber(1))
    .option('--from <splits>', 'draw queries from these splits, comma separated (default: all)', list)
    .option('--seed <n>', 'same seed, same sample', wholeNumber(0), 42)
    .option('--gzip', 'compress corpus, queries and examples')
    .option('--overwrite', 'replace a BEIR folder that is there')
    .option('--json', 'print the counts as JSON')
    .action(sampleAction)
    .addHelpText(
      'after',
      `
A sample is easier than the whole: fewer documents compete. Compare figures only within the same sample.

Examples:
  nearmiss data sample data/msmarco data/small --documents 10000 --queries 500 --from dev
`,
    );
}

async function sampleAction(source: string, out: string, flags: SampleFlags): Promise<void> {
  await checkApart(out, [source]);
  const [{ openDataset }, { sampleDataset }, { writeBeir }] = await Promise.all([
    import('../../../data/open.js'),
    import('../../../data/derive/sample.js'),
    import('../../../data/writers/beir.js'),
  ]);
  const sample = await sampleDataset(await openDataset(source), flags);
  const counts = await writeBeir(sample, out, { gzip: flags.gzip, overwrite: flags.overwrite });
  if (flags.json) printJson({ out, ...counts });
  else
    print(
      `${out}: ${counted(counts.documents, 'document')}, ${counted(counts.queries, 'query', 'queries')}\n`,
    );
}
