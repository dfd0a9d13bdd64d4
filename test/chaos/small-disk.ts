import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Works in a folder on a disk of its own with so many bytes, which fills up as disks do. Gives nothing where this process
 * may not mount one.
 */
export async function onSmallDisk<T>(
  bytes: number,
  work: (folder: string) => Promise<T>,
): Promise<T | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-disk-'));
  try {
    const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder]);
    if (mount.status !== 0) return undefined;
    try {
      return await work(folder);
    } finally {
      spawnSync('umount', [folder]);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
