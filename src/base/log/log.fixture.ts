import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { MARK_FILE } from './mark.js';
import { type OpenLogOptions, WriteAheadLog } from './write-ahead-log.js';

export const FILE_HEADER = 24;
export const FRAME_HEADER = 20;

/** Where the frames of single records begin and the last one ends. */
export function framesOf(...records: string[]): number[] {
  const starts = [FILE_HEADER];
  for (const record of records) starts.push(starts.at(-1)! + FRAME_HEADER + 4 + record.length);
  return starts;
}

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-log-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

export interface Opened {
  log: WriteAheadLog;
  records: string[];
  cuts: string[];
}

export async function openLog(folder: string, options: Partial<OpenLogOptions> = {}): Promise<Opened> {
  const records: string[] = [];
  const cuts: string[] = [];
  const log = await WriteAheadLog.open(folder, {
    onRecord: (record) => records.push(record.toString()),
    onWarning: (message) => cuts.push(message),
    ...options,
  });
  return { log, records, cuts };
}

export async function readBack(folder: string): Promise<Omit<Opened, 'log'>> {
  const { log, records, cuts } = await openLog(folder);
  await log.close();
  return { records, cuts };
}

export function append(log: WriteAheadLog, ...records: string[]): Promise<string[]> {
  return Promise.all(records.map((record) => log.append(Buffer.from(record), () => record)));
}

export async function logOf(folder: string, ...records: string[]): Promise<string> {
  const { log } = await openLog(folder);
  for (const record of records) await append(log, record);
  await log.close();
  return join(folder, 'log-00000001.wal');
}

/** As {@link logOf}, with a last record that nobody was told of: the process was killed while it was written. */
export async function interruptedLogOf(folder: string, record: string): Promise<string> {
  const mark = await readFile(join(folder, MARK_FILE));
  const path = await logOf(folder, record);
  await writeFile(join(folder, MARK_FILE), mark);
  return path;
}
