import { resolve } from 'node:path';
import { NearmissError } from '../base/errors.js';
import { writeJsonFile } from '../base/json-file.js';
import { openDataset } from '../data/index.js';
import type { RunDirectory } from '../run/run-directory.js';
import { QUESTIONS_SPLIT } from './adapted-dataset.js';

const FILE = 'adapted.json';
/** What a server writes beside a run where documents were added to the collection that it serves. */
const EXPORTED = '-documents';

/** Keeps with a run which documents it was made for. */
export async function keepSource(run: RunDirectory, data: string): Promise<void> {
  await writeJsonFile(run.file(FILE), { source: resolve(data) });
}

/** Fails where a run that goes on, or has ended, was begun on something else than is asked for now. */
export async function requireSameSource(
  run: RunDirectory,
  { data, questions, learned }: { data: string; questions: string | undefined; learned: string },
): Promise<void> {
  const hint = 'choose another folder with --out';
  const source = (await run.readJson<{ source: string }>(FILE))?.source;
  if (source !== undefined && source !== resolve(data) && source !== resolve(`${run.path}${EXPORTED}`)) {
    throw new NearmissError(`${run.path}: this run was begun on ${source}, not on ${resolve(data)}`, {
      hint,
    });
  }
  if (questions === undefined) return;
  if ((await (await openDataset(learned)).splits()).includes(QUESTIONS_SPLIT)) return;
  throw new NearmissError(`${run.path}: this run was begun without questions`, { hint });
}
