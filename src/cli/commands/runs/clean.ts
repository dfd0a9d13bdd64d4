import { formatBytes } from '../../../base/progress.js';
import type { RoomPart, RunRoom } from '../../../run/room/room.js';
import type { RegisterCommand } from '../../command.js';
import { print, printJson } from '../../output.js';

interface CleanFlags {
  yes?: boolean;
  json?: boolean;
}

const EXAMPLES = `
Examples:
  nearmiss clean runs/mine               what takes room, and what of it may go; removes nothing
  nearmiss clean runs/mine --yes         removes it
  nearmiss clean runs/* --yes --json

Of a run that is done, earlier checkpoints, what training would go on with, and vectors of models other than the best
may go. Never best/ and its index, the newest checkpoint's model, measurements and events; and of a run that is not
done, nothing that it may go on with.`;

/** `nearmiss clean` */
export const registerClean: RegisterCommand = (program) => {
  program
    .command('clean')
    .summary('say what takes room in runs, and free it')
    .description('Says what takes room in the folders of runs, and removes what nothing needs any more.')
    .argument('<runs...>', 'folders of runs')
    .option('--yes', 'remove it; without this, nothing is removed')
    .option('--json', 'print it as JSON, in bytes')
    .addHelpText('after', EXAMPLES)
    .action(cleanCommand);
};

async function cleanCommand(paths: string[], { yes = false, json }: CleanFlags): Promise<void> {
  const [{ readRunDescription }, { RunDirectory }, { freeRoom, roomOf }] = await Promise.all([
    import('../../../run/run-description.js'),
    import('../../../run/run-directory.js'),
    import('../../../run/room/room.js'),
  ]);
  const runs = paths.map((path) => new RunDirectory(path));
  // All of them are looked at before anything is removed from one.
  for (const run of runs) await readRunDescription(run);
  const cleaned: (RunRoom & { run: string; removed: boolean })[] = [];
  for (const run of runs) {
    const room = await roomOf(run);
    if (yes) await freeRoom(run);
    cleaned.push({ run: run.path, removed: yes, ...room });
    if (!json) print(describe(run.path, room, yes));
  }
  if (json) printJson({ runs: cleaned });
}

function describe(run: string, { kept, removable }: RunRoom, removed: boolean): string {
  const lines = (parts: readonly RoomPart[]): string =>
    parts
      .map(({ path, bytes, what }) => `  ${formatBytes(bytes).padStart(8)}  ${path}  (${what})\n`)
      .join('');
  const free = formatBytes(sum(removable));
  const outcome = removed ? `removed, ${free}:\n` : `may go, ${free} (--yes removes it):\n`;
  return (
    `${run}: ${formatBytes(sum(kept) + sum(removable))}\nkept, ${formatBytes(sum(kept))}:\n${lines(kept)}` +
    (removable.length === 0 ? 'nothing in it may go\n' : `${outcome}${lines(removable)}`)
  );
}

function sum(parts: readonly RoomPart[]): number {
  return parts.reduce((total, { bytes }) => total + bytes, 0);
}
