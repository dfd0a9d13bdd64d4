import type { Command } from 'commander';
import { checkApart } from '../../../base/folders/check-apart.js';
import { counted } from '../../../base/progress.js';
import { print, printJson, tell } from '../../output.js';
import {
  addSourceOptions,
  formatsHelp,
  type SourceFlags,
  sourcePaths,
  toOpenOptions,
} from './source-options.js';

interface ImportFlags extends SourceFlags {
  gzip?: boolean;
  overwrite?: boolean;
  skipErrors?: boolean;
  json?: boolean;
}

export function registerImport(data: Command): void {
  const command = data
    .command('import')
    .summary('turn a collection of any format into a BEIR folder')
    .description(
      'Turns a collection of any format that the field uses, or a folder of files, into a BEIR folder.',
    )
    .argument('<source>', 'a folder or a file, plain or .gz')
    .argument('<out>', 'the folder to write');
  addSourceOptions(command)
    .option('--gzip', 'compress corpus, queries and examples')
    .option('--overwrite', 'replace a BEIR folder that is there')
    .option('--skip-errors', 'leave records with errors out and list them, instead of stopping at the first')
    .option('--json', 'print the counts as JSON')
    .action(importAction)
    .addHelpText(
      'after',
      `
Formats:
${formatsHelp()}

Examples:
  nearmiss data import msmarco/ data/msmarco --gzip
  nearmiss data import biencoder-nq-train.json.gz data/nq
  nearmiss data import products.csv data/shop --id-field sku --title-field name --text-field description
  nearmiss data import faq.csv data/faq                                  columns such as question and answer: pairs
  nearmiss data import faq.xlsx data/faq --sheet Answers
  nearmiss data import www.example.org data/site --site                  a saved website
  nearmiss data import clicks.csv data/clicks --query-field asked --document-field opened
  nearmiss data import collection.tsv data/dl19 --queries topics.txt --qrels test=2019qrels-pass.txt
  nearmiss data import triples.jsonl data/colbert --documents collection.tsv --queries queries.tsv
`,
    );
}

async function importAction(source: string, out: string, flags: ImportFlags): Promise<void> {
  await checkApart(out, sourcePaths(source, flags));
  const [{ openDataset }, { writeBeir }, { Progress }, { ProblemTally }, { tellLeftOut }] = await Promise.all(
    [
      import('../../../data/open.js'),
      import('../../../data/writers/beir.js'),
      import('../../../base/progress.js'),
      import('./problem-tally.js'),
      import('../../inputs/tell-left-out.js'),
    ],
  );
  const tally = new ProblemTally({ skipErrors: flags.skipErrors ?? false });
  const dataset = await openDataset(source, { ...toOpenOptions(flags), onProblem: tally.onProblem });
  const progress = new Progress({ label: 'import', unit: 'records' });
  const counts = await writeBeir(dataset, out, {
    gzip: flags.gzip,
    overwrite: flags.overwrite,
    onRecord: () => progress.advance(),
  });
  progress.finish();
  tally.print(source, counts.dangling);
  const { format, ignored = [], leftOut, examples } = dataset.sources;
  for (const columns of [...examples.values()].map((source) => source.columns?.())) {
    if (columns !== undefined) tell(`${columns}\n`);
  }
  if (ignored.length > 0) tell(`not imported: ${ignored.join(', ')}\n`);
  tellLeftOut(dataset.sources);
  const result = { out, format, ...counts, leftOut, errors: tally.errors, warnings: tally.warnings };
  if (flags.json) printJson(result);
  else print(describeCounts(result));
}

function describeCounts(result: {
  out: string;
  format: string;
  documents: number;
  queries: number;
  judgments: Record<string, number>;
  examples: Record<string, number>;
}): string {
  const bySplit = (counts: Record<string, number>): string =>
    Object.entries(counts)
      .map(([split, count]) => `${split} ${count}`)
      .join(', ') || 'none';
  const { documents, queries } = result;
  return `${result.out} (from ${result.format}): ${counted(documents, 'document')}, ${counted(queries, 'query', 'queries')}
judgments: ${bySplit(result.judgments)}
training examples: ${bySplit(result.examples)}
`;
}
