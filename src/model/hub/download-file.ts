import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { NearmissError } from '../../base/errors.js';
import { exists } from '../../base/files.js';
import { makeDirectory } from '../../base/folders/make-directory.js';
import { networkReason, TemporaryFailure } from './hub-errors.js';
import type { HubFile } from './hub-files.js';

/** Tries without a single new byte before giving up. */
const MAX_TRIES = 5;

export interface DownloadOptions {
  url: string;
  target: string;
  file: HubFile;
  headers: Record<string, string>;
  /** Turns a refusing response into the error to throw. */
  refusal: (response: Response) => Error;
  /** Wait before the second try; doubles from try to try. */
  retryDelayMs: number;
  onBytes: (count: number) => void;
}

/**
 * Downloads a file to `target`, through `target.part`: what is there already, from a broken connection or an
 * earlier run, is continued with a range request, and the name appears only when size and hash are right.
 */
export async function downloadFile(options: DownloadOptions): Promise<void> {
  const { target, file, onBytes } = options;
  if (await exists(target)) {
    onBytes((await stat(target)).size);
    return;
  }
  const part = `${target}.part`;
  await makeDirectory(dirname(target));
  const kept = await sizeOf(part);
  if (kept > 0) onBytes(kept);
  let tries = 0;
  while (!(await isWhole(part, file.size))) {
    const before = await sizeOf(part);
    try {
      await fetchRest(options, part, before);
      if (file.size === undefined) break;
    } catch (error) {
      if (!isTemporary(error)) throw error;
      tries = (await sizeOf(part)) > before ? 1 : tries + 1;
      if (tries >= MAX_TRIES) throw interrupted(options, error);
      await sleep(options.retryDelayMs * 2 ** (tries - 1));
    }
  }
  await verify(part, options);
  await rename(part, target);
}

/** fetch tells every trouble of the network as a TypeError; anything else (a full disk, …) will not pass. */
function isTemporary(error: unknown): boolean {
  return error instanceof TemporaryFailure || error instanceof TypeError;
}

async function isWhole(part: string, size: number | undefined): Promise<boolean> {
  return size !== undefined && (await exists(part)) && (await sizeOf(part)) >= size;
}

async function fetchRest(options: DownloadOptions, part: string, offset: number): Promise<void> {
  const { url, headers, onBytes } = options;
  const range: Record<string, string> = offset > 0 ? { range: `bytes=${offset}-` } : {};
  // Ranges count the bytes of the file only where nothing is compressed on the way.
  const response = await fetch(url, { headers: { ...headers, ...range, 'accept-encoding': 'identity' } });
  if (response.status === 416) {
    await rm(part);
    onBytes(-offset);
    throw new TemporaryFailure('the server has no more bytes than are here already');
  }
  if (!response.ok) throw options.refusal(response);
  const continues = response.headers.get('content-range')?.startsWith(`bytes ${offset}-`) ?? false;
  if (!continues) onBytes(-offset);
  const handle = await open(part, continues ? 'a' : 'w');
  try {
    for await (const chunk of response.body ?? []) {
      await handle.writeFile(chunk);
      onBytes(chunk.length);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  const got = await sizeOf(part);
  if (options.file.size !== undefined && got < options.file.size) {
    throw new TemporaryFailure(`the connection ended after ${got} of ${options.file.size} bytes`);
  }
}

async function verify(part: string, { file, url }: DownloadOptions): Promise<void> {
  const size = await sizeOf(part);
  const wrong =
    file.size !== undefined && size !== file.size
      ? `expected ${file.size} bytes, got ${size}`
      : await wrongHash(part, file, size);
  if (wrong === undefined) return;
  await rm(part);
  throw new NearmissError(`${url}: the download is damaged: ${wrong}`, {
    hint: 'run the same command again; the damaged file was deleted',
  });
}

async function wrongHash(part: string, file: HubFile, size: number): Promise<string | undefined> {
  if (file.sha256 !== undefined) {
    const got = await hashFile(part, 'sha256');
    return got === file.sha256 ? undefined : `expected SHA-256 ${file.sha256}, got ${got}`;
  }
  if (file.gitBlob !== undefined) {
    const got = await hashFile(part, 'sha1', `blob ${size}\0`);
    return got === file.gitBlob ? undefined : `expected git blob ${file.gitBlob}, got ${got}`;
  }
  return undefined;
}

async function hashFile(path: string, algorithm: string, start = ''): Promise<string> {
  const hash = createHash(algorithm).update(start);
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex');
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

function interrupted({ url, file }: DownloadOptions, error: unknown): NearmissError {
  return new NearmissError(
    `${url}: the download of ${file.name} broke off ${MAX_TRIES} times: ${networkReason(error)}`,
    { hint: 'run the same command again: it continues where it stopped', cause: error },
  );
}
