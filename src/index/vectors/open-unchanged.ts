import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What describes an index folder: of another content, it is another. */
export const META_FILE = 'meta.json';

/**
 * Opens what lies in several files of an index folder. Where a change replaces the folder meanwhile, files are of two states and seem
 * damaged, or do not belong to each other: then it is opened again.
 */
export async function openUnchanged<T extends { close(): Promise<void> }>(
  folder: string,
  open: () => Promise<T>,
): Promise<T> {
  for (;;) {
    const before = await description(folder);
    const opening = open();
    const opened = await opening.catch(() => undefined);
    if ((await description(folder)) === before) return opening;
    await opened?.close();
  }
}

/** Nothing where the folder is not there, as for a moment while it is replaced. */
async function description(folder: string): Promise<string | undefined> {
  return readFile(join(folder, META_FILE), 'utf8').catch(() => undefined);
}
