import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, NearmissError } from '../../base/errors.js';
import { readStateFolder } from '../../base/log/read-folder.js';
import { type JudgmentEntry, Judgments, parseJudgments } from './judgments.js';

/** A server that writes its log anew removes files that somebody has just listed. */
const ATTEMPTS = 3;

/**
 * What people judged, whichever server wrote it down: the logs in a collection's folder of judgments, as they are at
 * this moment. Servers may be writing.
 */
export async function readJudgments(folder: string): Promise<Judgments> {
  const judgments = new Judgments();
  for (const name of await logsIn(folder)) {
    for (const entry of await readLog(join(folder, name))) judgments.put(entry);
  }
  return judgments;
}

/** The logs by name; none where nobody has judged. */
export async function logsIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error) => {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return [];
    throw new NearmissError(`${folder}: cannot read: ${error.message}`, {
      hint: 'check that you may read the folder',
      cause: error,
    });
  });
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .sort();
}

/** The entries of one log, read without changing it. */
export async function readLog(folder: string): Promise<JudgmentEntry[]> {
  for (let attempt = 1; ; attempt++) {
    const entries: JudgmentEntry[] = [];
    try {
      await readStateFolder(folder, {
        onRecord: (record, where) => entries.push(...parseJudgments(record, where)),
        onWarning: () => undefined,
      });
      return entries;
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
  }
}
