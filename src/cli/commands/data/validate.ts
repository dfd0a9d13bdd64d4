import type { Command } from 'commander';
import { wholeNumber } from '../../options/option-parsers.js';
import { print, printJson } from '../../output.js';
import { addSourceOptions, type SourceFlags, toOpenOptions } from './source-options.js';

interface ValidateFlags extends SourceFlags {
  max: number;
  first?: boolean;
  json?: boolean;
}

export function registerValidate(data: Command): void {
  const command = data
    .command('validate')
    .summary('list what is wrong with a collection')
    .description('Lists everything that is wrong with a collection; exit code 1 when there are errors.')
    .argument('<source>', 'a BEIR folder, or anything that import reads');
  addSourceOptions(command)
    .option('--max <n>', 'list at most so many problems (all are counted)', wholeNumber(0), 100)
    .option('--first', 'stop at the first error')
    .option('--json', 'print the report as JSON')
    .action(validateAction)
    .addHelpText(
      'after',
      `
Errors: broken UTF-8, JSON or CSV · missing or mistyped fields (a list given as a text) · ids that come twice ·
judgments and examples that point nowhere or contradict each other · missing or unreadable files.
Warnings: empty texts · ids with white space · queries without a relevant document · repeated judgments ·
empty splits.

Examples:
  nearmiss data validate data/mine
  nearmiss data validate train.jsonl --format flagembedding --first
  nearmiss data validate data/mine --json | jq .codes
`,
    );
}

async function validateAction(source: string, flags: ValidateFlags): Promise<void> {
  const [{ validateDataset }, { Progress, count, counted }, { formatProblem }, { tellLeftOut }] =
    await Promise.all([
      import('../../../data/validate.js'),
      import('../../../base/progress.js'),
      import('../../../data/problem.js'),
      import('../../inputs/tell-left-out.js'),
    ]);
  const progress = new Progress({ label: 'validate', unit: 'records' });
  const report = await validateDataset(source, {
    ...toOpenOptions(flags),
    max: flags.max,
    first: flags.first,
    onRecord: () => progress.advance(),
  });
  progress.finish();
  tellLeftOut(report);
  if (report.errors > 0) process.exitCode = 1;
  if (flags.json) {
    printJson(report);
    return;
  }
  for (const problem of report.problems) {
    print(`${problem.severity}: ${formatProblem(problem)}\n`);
    if (problem.hint) print(`  → ${problem.hint}\n`);
  }
  const more = report.errors + report.warnings - report.problems.length;
  if (more > 0) print(`… and ${count(more)} more (--max ${flags.max})\n`);
  const { documents, queries, judgments, examples } = report.checked;
  print(
    `${source} (${report.format}): ${counted(documents, 'document')}, ${counted(queries, 'query', 'queries')}, ` +
      `${counted(judgments, 'judgment')}, ${counted(examples, 'training example')}\n` +
      `${counted(report.errors, 'error')}, ${counted(report.warnings, 'warning')}` +
      `${report.stopped ? '; stopped at the first error' : ''}\n`,
  );
}
