import { readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { removeDirectory } from '../../base/files.js';
import { type RunDirectory, START_FOLDER } from '../run-directory.js';
import { dropMoments, isDone, momentsOf } from './finished-checkpoint.js';

/** Something in a run's folder, and the room that it takes. */
export interface RoomPart {
  /** From the run's folder on. */
  path: string;
  bytes: number;
  /** What it is, and for what it is kept or why it may go. */
  what: string;
}

/** What takes room in a run. */
export interface RunRoom {
  kept: RoomPart[];
  /** What nothing needs any more: {@link freeRoom} removes it. */
  removable: RoomPart[];
}

interface Removal extends RoomPart {
  remove(): Promise<void>;
}

const KEPT: Record<string, string> = {
  best: 'the model that measured best, with its ONNX export',
  index: "the best model's vectors of the collection",
  [START_FOLDER]: 'the model that the run starts from',
  checkpoints: 'models as training left them',
  resume: 'where training goes on',
  negatives: 'what was mined',
  cache: 'tokens and indexes, made again where they are missing',
};

/**
 * Says what takes room in a run and what of it may go. Never that: `best/` and its index, the newest checkpoint's
 * model, measurements and events; and of a run that is not done, nothing that it may go on with.
 *
 * @example
 * const { removable } = await roomOf(new RunDirectory('runs/medquad'));
 */
export async function roomOf(run: RunDirectory): Promise<RunRoom> {
  const removals = await removalsOf(run);
  const removable = removals.map(({ path, bytes, what }) => ({ path, bytes, what }));
  const kept: RoomPart[] = [];
  const seen = new Set<string>();
  for (const [path, what] of Object.entries(KEPT)) {
    const gone = removable
      .filter((part) => part.path.startsWith(`${path}/`))
      .reduce((sum, { bytes }) => sum + bytes, 0);
    const bytes = Math.max(0, (await bytesOf(run.file(path), seen)) - gone);
    if (bytes > 0) kept.push({ path, bytes, what });
  }
  return { kept: kept.sort((a, b) => b.bytes - a.bytes), removable };
}

/** Removes what nothing needs any more, and says what that was. */
export async function freeRoom(run: RunDirectory): Promise<RoomPart[]> {
  const removals = await removalsOf(run);
  for (const { remove } of removals) await remove();
  return removals.map(({ path, bytes, what }) => ({ path, bytes, what }));
}

async function removalsOf(run: RunDirectory): Promise<Removal[]> {
  const removals: Removal[] = [];
  const folder = async (path: string, what: string): Promise<void> => {
    const bytes = await freedBytesOf(run.file(path));
    if (bytes > 0) removals.push({ path, bytes, what, remove: () => removeDirectory(run.file(path)) });
  };
  await folder('damaged', 'damaged checkpoints that were moved out of the way');
  if (!(await isDone(run))) return removals;
  const best = await run.readJson<{ step: number }>('best.json');
  for (const step of await run.steps('resume')) {
    await folder(nameOf(run, 'resume', step), 'where training would go on; it is done');
  }
  const checkpoints = await run.steps('checkpoints');
  for (const step of checkpoints.slice(0, -1)) {
    await folder(nameOf(run, 'checkpoints', step), 'an earlier checkpoint');
  }
  const last = nameOf(run, 'checkpoints', checkpoints.at(-1)!);
  for (const name of await momentsOf(run.file(last))) {
    const bytes = await bytesOf(run.file(last, name));
    const remove = () => dropMoments(run.file(last));
    removals.push({ path: `${last}/${name}`, bytes, what: 'for going on with training; it is done', remove });
  }
  for (const step of await run.steps('index')) {
    if (step !== best?.step)
      await folder(nameOf(run, 'index', step), "another model's vectors than the best's");
  }
  return removals;
}

function nameOf(run: RunDirectory, folder: 'checkpoints' | 'resume' | 'index', step: number): string {
  return relative(run.path, run.stepPath(folder, step)).replaceAll('\\', '/');
}

/** What is free once a path is gone: a file that is also elsewhere stays on the disk. */
async function freedBytesOf(path: string): Promise<number> {
  const info = await stat(path).catch(() => undefined);
  if (!info?.isDirectory()) return info === undefined || info.nlink > 1 ? 0 : info.size;
  let bytes = 0;
  for (const name of await readdir(path)) bytes += await freedBytesOf(join(path, name));
  return bytes;
}

/** What a path takes; files that are one on the disk count once, where they are met first. */
async function bytesOf(path: string, seen = new Set<string>()): Promise<number> {
  const info = await stat(path).catch(() => undefined);
  if (info === undefined) return 0;
  if (!info.isDirectory()) {
    const name = `${info.dev} ${info.ino}`;
    if (info.nlink > 1 && seen.has(name)) return 0;
    seen.add(name);
    return info.size;
  }
  let bytes = 0;
  for (const name of await readdir(path)) bytes += await bytesOf(join(path, name), seen);
  return bytes;
}
