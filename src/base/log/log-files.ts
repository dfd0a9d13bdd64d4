import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PARTIAL_PREFIX } from '../partial-path.js';

/** `snapshot-n` holds everything before `log-n` in short, `log-n` and its successors what came after. */
export type FileKind = 'snapshot' | 'log';

/** The numbers of the files that there are, ascending. */
export interface LogFiles {
  readonly snapshots: readonly number[];
  readonly logs: readonly number[];
}

export function fileName(kind: FileKind, number: number): string {
  return `${kind}-${String(number).padStart(8, '0')}.wal`;
}

export async function listFiles(folder: string): Promise<LogFiles> {
  const numbers: Record<FileKind, number[]> = { snapshot: [], log: [] };
  for (const name of await readdir(folder)) {
    const match = /^(snapshot|log)-(\d{8,})\.wal$/.exec(name);
    if (match) numbers[match[1] as FileKind].push(Number(match[2]));
  }
  const ascending = (a: number, b: number): number => a - b;
  return { snapshots: numbers.snapshot.sort(ascending), logs: numbers.log.sort(ascending) };
}

/** Removes the files before a snapshot, which holds what they held, and what was never finished. */
export async function removeSuperseded(folder: string, first: number): Promise<void> {
  const { snapshots, logs } = await listFiles(folder);
  const before = (numbers: readonly number[]): number[] => numbers.filter((number) => number < first);
  const superseded = [
    ...before(snapshots).map((number) => fileName('snapshot', number)),
    ...before(logs).map((number) => fileName('log', number)),
  ];
  const unfinished = (await readdir(folder)).filter((name) => name.startsWith(PARTIAL_PREFIX));
  for (const name of [...superseded, ...unfinished]) {
    await rm(join(folder, name), { force: true, recursive: true });
  }
}
