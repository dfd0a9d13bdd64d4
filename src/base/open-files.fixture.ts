import { readdir, readlink } from 'node:fs/promises';

/** What this process has open below a folder, where the system says so. */
export async function openFilesIn(folder: string): Promise<string[]> {
  if (process.platform !== 'linux') return [];
  const descriptors = (await readdir('/proc/self/fd')).map((name) => `/proc/self/fd/${name}`);
  const files = await Promise.all(descriptors.map((path) => readlink(path).catch(() => '')));
  return files.filter((file) => file.startsWith(folder));
}
