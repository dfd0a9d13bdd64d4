import { join } from 'node:path';
import { DamagedLogError, damagedAt } from './damage.js';
import { type FileKind, fileName, type LogFiles } from './log-files.js';
import { MARK_FILE, type Mark } from './mark.js';
import { type FramesRead, readFrames } from './read-frames.js';

export interface ReadStateOptions {
  /** The snapshot to begin with; without one the first log. */
  snapshot: number | undefined;
  onRecord: (record: Buffer, where: string) => void;
  mark?: Mark;
}

export interface StateRead {
  /** The log to go on in, and how far it was read; nothing where there is none yet. */
  last?: FramesRead & { number: number };
  /** Bytes in the files before that log. */
  earlierBytes: number;
}

/** Reads a snapshot and the logs after it, each of which must go on where the file before it ends. */
export async function readState(
  folder: string,
  files: LogFiles,
  { snapshot, onRecord, mark }: ReadStateOptions,
): Promise<StateRead> {
  const first = snapshot ?? 1;
  const logs = files.logs.filter((number) => number >= first);
  checkComplete(folder, { snapshot, logs, mark });
  const state: StateRead = { earlierBytes: 0 };
  let follows: { name: string; chain: number } | undefined;
  const read = async (kind: FileKind, number: number, isLast: boolean): Promise<FramesRead> => {
    const path = join(folder, fileName(kind, number));
    const written = kind === 'log' && mark?.log === number ? mark : undefined;
    const result = await readFrames(path, { kind, number, onRecord, follows, written });
    if (isLast) return result;
    if (result.end < result.size) throw damagedAt(path, result.end, 'the file ends in an incomplete frame');
    state.earlierBytes += result.size;
    return result;
  };
  if (snapshot !== undefined) {
    const { isCurrent, startChain } = await read('snapshot', snapshot, false);
    if (isCurrent) follows = { name: fileName('snapshot', snapshot), chain: startChain };
  }
  for (const number of logs) {
    const result = await read('log', number, number === logs.at(-1));
    follows = { name: fileName('log', number), chain: result.place.chain };
    state.last = { ...result, number };
  }
  return state;
}

/** A snapshot appears after the log that follows it, and logs appear one after the other. */
function checkComplete(
  folder: string,
  { snapshot, logs, mark }: { snapshot: number | undefined; logs: readonly number[]; mark?: Mark },
): void {
  const missing = (kind: FileKind, number: number, needs: string): DamagedLogError =>
    new DamagedLogError(join(folder, fileName(kind, number)), `no such file, though ${needs}`);
  const first = snapshot ?? 1;
  if (snapshot === undefined && logs.length > 0 && logs[0] !== first) {
    throw missing('snapshot', logs[0], `${fileName('log', logs[0])} needs it`);
  }
  const gap = logs.findIndex((number, i) => number !== first + i);
  if (gap >= 0) throw missing('log', first + gap, `${fileName('log', logs[gap])} needs it`);
  if (snapshot !== undefined && logs.length === 0) {
    throw missing('log', first, `${fileName('snapshot', first)} needs it`);
  }
  if (mark && mark.log > (logs.at(-1) ?? 0)) throw missing('log', mark.log, `${MARK_FILE} knows of it`);
}
