import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import { NearmissError } from '../../base/errors.js';
import { exists, writeFileAtomic } from '../../base/files.js';
import { cacheFolder } from '../../base/folders/cache-folder.js';
import { makeDirectory } from '../../base/folders/make-directory.js';
import { parseJson } from '../../base/json-file.js';
import { type WorkOptions, withFileLock } from '../../base/lock/file-lock.js';
import { PARTIAL_PREFIX } from '../../base/partial-path.js';
import { printable } from '../../base/printable.js';
import { Progress } from '../../base/progress.js';
import { downloadFile } from './download-file.js';
import { hubEndpoint } from './endpoint.js';
import { type HubRequest, networkReason, refusal, TemporaryFailure, unreachable } from './hub-errors.js';
import { chooseFiles, hubModelSchema } from './hub-files.js';

const METADATA_TRIES = 3;

export interface HubOptions {
  /** Branch, tag or commit; `main` unless told. */
  revision?: string;
  /** The hub's address; `$HF_ENDPOINT` or huggingface.co unless told. */
  endpoint?: string;
  /** Access token for private and gated models; `$HF_TOKEN` unless told. */
  token?: string;
  /** Where downloads are kept; `$NEARMISS_CACHE` or `~/.cache/nearmiss` unless told. */
  cache?: string;
  /** Use only what is in the cache; `$HF_HUB_OFFLINE` unless told. */
  offline?: boolean;
  /** Show no progress. */
  quiet?: boolean;
  /** Wait before a failed request is tried again; doubles from try to try. */
  retryDelayMs?: number;
}

export interface HubModel {
  /** A complete folder in the cache. */
  folder: string;
  /** The commit that the revision stood for. */
  commit: string;
}

/**
 * Fetches a model from the Hugging Face hub into the cache, or finds it there. What an interrupted download got
 * is kept and continued. Without a network, the revision fetched last is used.
 *
 * @example
 * const { folder } = await downloadModel('sentence-transformers/all-MiniLM-L6-v2');
 */
export async function downloadModel(id: string, options: HubOptions = {}): Promise<HubModel> {
  const { revision = 'main', token = process.env.HF_TOKEN, cache = cacheFolder() } = options;
  const endpoint = hubEndpoint(options.endpoint);
  const offline = options.offline ?? /^(1|true|yes|on)$/i.test(process.env.HF_HUB_OFFLINE ?? '');
  const repository = new CachedRepository(join(cache, 'models', id.replace('/', '--')));
  const request: HubRequest = { id, revision, endpoint, hasToken: Boolean(token) };
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
  const retryDelayMs = options.retryDelayMs ?? 1000;
  const tell = (message: string): void => {
    if (!options.quiet) process.stderr.write(`${printable(message)}\n`);
  };

  const pinned = await repository.find(revision);
  if (pinned && (offline || pinned.commit === revision)) return pinned;
  if (offline) throw unreachable(request, new Error('offline mode is on'));

  let info: z.infer<typeof hubModelSchema>;
  try {
    info = await fetchInfo(request, headers, retryDelayMs);
  } catch (error) {
    if (error instanceof NearmissError) throw error;
    if (!pinned) throw unreachable(request, error);
    const reason = networkReason(error);
    tell(`${id}: ${endpoint} cannot be reached (${reason}); using ${pinned.commit} as fetched before`);
    return pinned;
  }

  const files = chooseFiles(id, info);
  const download = async (partial: string): Promise<void> => {
    const bytes = files.reduce((sum, { size = 0 }) => sum + size, 0);
    const progress = new Progress({
      label: `download ${id}`,
      total: bytes / 1e6,
      unit: 'MB',
      quiet: options.quiet,
    });
    for (const file of files) {
      await downloadFile({
        url: `${endpoint}/${id}/resolve/${info.sha}/${file.name.split('/').map(encodeURIComponent).join('/')}`,
        target: join(partial, file.name),
        file,
        headers,
        refusal: (response) => refusal(request, response, file.name),
        retryDelayMs,
        onBytes: (count) => progress.advance(count / 1e6, file.name),
      });
    }
    progress.finish('');
  };
  const folder = await repository.complete(info.sha, download, { onWait: tell });
  await repository.remember(revision, info.sha);
  return { folder, commit: info.sha };
}

async function fetchInfo(
  request: HubRequest,
  headers: Record<string, string>,
  retryDelayMs: number,
): Promise<z.infer<typeof hubModelSchema>> {
  const { id, revision, endpoint } = request;
  const url = `${endpoint}/api/models/${id}/revision/${encodeURIComponent(revision)}?blobs=true`;
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(url, { headers });
    if (response.ok) {
      const hint = 'HF_ENDPOINT may name something that is not a Hugging Face hub';
      return parseJson(await response.text(), { where: url, schema: hubModelSchema, hint });
    }
    const error = refusal(request, response, 'the model');
    if (!(error instanceof TemporaryFailure) || attempt === METADATA_TRIES) throw error;
    await sleep(retryDelayMs * 2 ** (attempt - 1));
  }
}

/**
 * One model in the cache: a complete folder for each commit, and `refs/` with the commit that each revision
 * stood for when it was last asked for.
 */
class CachedRepository {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The folder of a commit, or of the commit that a branch or tag last stood for. */
  async find(revision: string): Promise<HubModel | undefined> {
    const remembered = await readFile(this.#reference(revision), 'utf8').catch(() => revision);
    for (const commit of [revision, remembered.trim()]) {
      if (!/^[0-9a-f]{40}$/.test(commit)) continue;
      const folder = join(this.#folder, commit);
      if (await exists(folder)) return { folder, commit };
    }
    return undefined;
  }

  /** Makes a commit's folder appear when `fill` has finished; unfinished work stays for the next time. */
  async complete(
    commit: string,
    fill: (partial: string) => Promise<void>,
    options: WorkOptions,
  ): Promise<string> {
    const folder = join(this.#folder, commit);
    const partial = join(this.#folder, `${PARTIAL_PREFIX}${commit}`);
    try {
      await makeDirectory(this.#folder);
      const work = async (): Promise<void> => {
        if (await exists(folder)) return;
        await fill(partial);
        await rename(partial, folder);
      };
      await withFileLock(`${partial}.lock`, work, options);
    } catch (error) {
      if (!(error instanceof Error && 'syscall' in error)) throw error;
      throw new NearmissError(`${this.#folder}: cannot write: ${error.message}`, {
        hint: 'set NEARMISS_CACHE to a folder you may write to, with enough space',
        cause: error,
      });
    }
    await rm(partial, { recursive: true, force: true });
    return folder;
  }

  async remember(revision: string, commit: string): Promise<void> {
    if (revision !== commit) await writeFileAtomic(this.#reference(revision), commit);
  }

  #reference(revision: string): string {
    return join(this.#folder, 'refs', encodeURIComponent(revision));
  }
}
