import { statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** What is free on the disk of a folder, which need not be there yet; undefined where the system does not tell. */
export async function freeDiskBytes(folder: string): Promise<number | undefined> {
  const place = resolve(folder);
  try {
    const { bavail, bsize } = await statfs(place);
    return bavail * bsize;
  } catch {
    return dirname(place) === place ? undefined : freeDiskBytes(dirname(place));
  }
}
