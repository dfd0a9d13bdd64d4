import { type FileHandle, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** A collection that is written anew has its state folder taken over by name, and for a moment it has none. */
const PATIENCE_MS = 1000;
const POLL_MS = 20;

/** Whether an open file is the one that its name leads to: what is written to one that was removed is lost. */
export async function hasItsName(handle: Pick<FileHandle, 'stat'>, path: string): Promise<boolean> {
  const open = await handle.stat();
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const named = await stat(path).catch(() => undefined);
    if (named?.ino === open.ino && named.dev === open.dev) return true;
    if (performance.now() >= deadline) return false;
    await sleep(POLL_MS);
  }
}
