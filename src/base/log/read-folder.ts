import { adviceOn } from './advice.js';
import { DamagedLogError } from './damage.js';
import { listFiles } from './log-files.js';
import { readMark } from './mark.js';
import { readState, type StateRead } from './read-state.js';

export interface ReadFolderOptions {
  /** Told every record that is there, in order; `where` names its place for error messages. */
  onRecord: (record: Buffer, where: string) => void;
  /** Told of trouble that loses nothing. */
  onWarning: (message: string) => void;
}

/** Reads a state folder from its newest snapshot on, and changes nothing in it. What is wrong is told with what to do. */
export async function readStateFolder(
  folder: string,
  { onRecord, onWarning }: ReadFolderOptions,
): Promise<StateRead & { snapshot: number | undefined }> {
  const files = await listFiles(folder);
  const snapshot = files.snapshots.at(-1);
  const mark = await readMark(folder, onWarning);
  try {
    return { snapshot, ...(await readState(folder, files, { snapshot, onRecord, mark })) };
  } catch (error) {
    if (!(error instanceof DamagedLogError)) throw error;
    throw new DamagedLogError(error.path, error.reason, { hint: await adviceOn({ folder, files, mark }) });
  }
}
