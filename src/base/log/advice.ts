import type { LogFiles } from './log-files.js';
import { fileName } from './log-files.js';
import { MARK_FILE, type Mark } from './mark.js';
import { readState } from './read-state.js';

/**
 * What to do about a folder that cannot be read as it is. Older files that a crash left behind may hold all that a
 * damaged snapshot held: whether they do is known only when they have been read, so they are.
 */
export async function adviceOn({
  folder,
  files,
  mark,
}: {
  folder: string;
  files: LogFiles;
  mark?: Mark;
}): Promise<string> {
  const isWhole = (snapshot: number | undefined, upTo: Mark | undefined): Promise<boolean> =>
    readState(folder, files, { snapshot, onRecord: () => undefined, mark: upTo }).then(
      ({ last }) => last !== undefined,
      () => false,
    );
  const older = [...files.snapshots.slice(0, -1).reverse(), undefined];
  for (const snapshot of older) {
    if (!(await isWhole(snapshot, mark))) continue;
    const spoilt = files.snapshots.filter((number) => number > (snapshot ?? 0));
    const names = spoilt.map((number) => fileName('snapshot', number)).join(' and ');
    return `nothing was changed, and nothing is lost: the older files of the folder hold everything. Move ${names} out of it and open it again`;
  }
  if (mark && (await isWhole(files.snapshots.at(-1), undefined))) {
    return `nothing was changed. Writes that were acknowledged are missing: restore the folder from a backup. Where this is a copy made while the folder was being written, remove ${MARK_FILE} to open it with what it has`;
  }
  return `nothing was changed. Restore the folder from a backup; without one, "nearmiss verify ${folder} --salvage NEW" takes over all but the damaged frames`;
}
