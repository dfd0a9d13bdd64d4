import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { hasCode } from '../errors.js';

/**
 * Makes a folder and those above it that are missing; one that is there is fine. Node's own `mkdir` with `recursive`
 * never ends where the system says of every level that there is no such folder, as below `/proc`.
 */
export async function makeDirectory(path: string): Promise<void> {
  const place = resolve(path);
  const error = await tryMake(place);
  if (error === undefined) return;
  const parent = dirname(place);
  if (!hasCode(error, 'ENOENT') || parent === place) throw error;
  await makeDirectory(parent);
  const stillWrong = await tryMake(place);
  if (stillWrong !== undefined) throw stillWrong;
}

async function tryMake(place: string): Promise<unknown> {
  try {
    await mkdir(place);
    return undefined;
  } catch (error) {
    return (await isDirectory(place)) ? undefined : error;
  }
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (info) => info.isDirectory(),
    () => false,
  );
}
