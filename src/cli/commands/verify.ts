import type { RegisterCommand } from '../command.js';
import { print, printJson } from '../output.js';

interface VerifyCommandOptions {
  salvage?: string;
  json?: boolean;
}

const EXAMPLES = `
Examples:
  nearmiss verify runs/mine                             is everything in it as it was written?
  nearmiss verify data/mine/.nearmiss --json            what a search and a server made of a collection
  nearmiss verify state/mine --salvage state/mended     take over what can be read of damaged live documents

Nothing is changed. Exit code 1 where something is damaged.`;

export const registerVerify: RegisterCommand = (program) => {
  program
    .command('verify')
    .summary('compare the checksums of indexes, caches and live documents')
    .description(
      'Reads all files with checksums in a folder and below it (indexes, document stores, token caches, candidates, checkpoints, live documents) and names what is not as it was written.',
    )
    .argument('<folder>', 'a run, an index, a collection, a cache or a state folder')
    .option('--salvage <new>', 'take over all that can still be read of a state folder into a new one')
    .option('--json', 'print the findings as JSON')
    .addHelpText('after', EXAMPLES)
    .action(verifyCommand);
};

async function verifyCommand(folder: string, options: VerifyCommandOptions): Promise<void> {
  if (options.salvage !== undefined) return salvage(folder, options.salvage, options);
  const { verifyFolders } = await import('../verify-folders.js');
  const found = [];
  for await (const one of verifyFolders(folder)) {
    found.push(one);
    if (options.json) continue;
    print(`${one.problem === undefined ? '✓' : '✗'} ${one.folder}  ${one.holds}\n`);
    if (one.problem !== undefined) print(`    ${one.problem}\n    → ${one.hint}\n`);
  }
  const damaged = found.filter(({ problem }) => problem !== undefined).length;
  if (options.json) printJson({ folders: found, damaged });
  else print(`${found.length} folders with checksums, ${damaged} damaged\n`);
  if (damaged > 0) process.exitCode = 1;
}

async function salvage(folder: string, target: string, { json }: VerifyCommandOptions): Promise<void> {
  const { salvageState } = await import('../../base/log/salvage.js');
  const { records, gaps } = await salvageState(folder, target);
  if (json) {
    printJson({ records, gaps });
    return;
  }
  for (const { path, start, bytes } of gaps) {
    print(`${path}: byte ${start}: ${bytes} bytes could not be read\n`);
  }
  print(`${target}: ${records} records taken over\n`);
}
