import type { Command } from 'commander';
import { checkApart } from '../../../base/folders/check-apart.js';
import { print } from '../../output.js';

interface ExportFlags {
  overwrite?: boolean;
}

export function registerExport(data: Command): void {
  data
    .command('export')
    .summary('write a collection for other tools')
    .description('Writes a collection as the files of MS MARCO, for other tools.')
    .argument('<source>', 'a BEIR folder, or anything that import reads')
    .argument('<out>', 'the folder to write')
    .option('--overwrite', 'replace what was exported there before')
    .action(exportAction)
    .addHelpText(
      'after',
      `
Writes collection.tsv, queries.<split>.tsv, qrels.<split>.tsv, and ColBERT's triples.<split>.jsonl where the
collection has training examples. Read by ColBERT, PyLate, Pyserini and others; BEIR folders need no export.

Examples:
  nearmiss data export data/scifact export/scifact
`,
    );
}

async function exportAction(source: string, out: string, flags: ExportFlags): Promise<void> {
  await checkApart(out, [source]);
  const [{ openDataset }, { writeMsmarco }, { Progress }] = await Promise.all([
    import('../../../data/open.js'),
    import('../../../data/writers/msmarco.js'),
    import('../../../base/progress.js'),
  ]);
  const progress = new Progress({ label: 'export', unit: 'records' });
  await writeMsmarco(await openDataset(source), out, {
    overwrite: flags.overwrite,
    onRecord: () => progress.advance(),
  });
  progress.finish();
  print(`${out}\n`);
}
