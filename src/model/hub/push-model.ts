import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { z } from 'zod';
import { NearmissError, UsageError } from '../../base/errors.js';
import { parseJson } from '../../base/json-file.js';
import { hubEndpoint } from './endpoint.js';
import { networkReason } from './hub-errors.js';

export interface PushOptions {
  /** Access token with the right to write; `$HF_TOKEN` unless told. */
  token?: string;
  /** The hub's address; `$HF_ENDPOINT` or huggingface.co unless told. */
  endpoint?: string;
  /** Whether only its owner sees a repository that is made for it. */
  private?: boolean;
  /** What the commit is called. */
  message?: string;
  /** Told of each file that is on its way. */
  onFile?: (name: string, bytes: number) => void;
}

export interface PushedModel {
  /** Where people find it. */
  url: string;
  commit: string;
}

/** How much of a file the hub wants to see to decide how it is kept. */
const SAMPLE_BYTES = 512;
const LFS_JSON = 'application/vnd.git-lfs+json';

const modes = z.object({ files: z.array(z.object({ path: z.string(), uploadMode: z.string() })) });
const action = z.object({ href: z.string(), header: z.record(z.string(), z.string()).optional() });
const batch = z.object({
  objects: z.array(
    z.object({
      oid: z.string(),
      // Without actions the hub has the content already.
      actions: z.object({ upload: action, verify: action.optional() }).optional(),
      error: z.object({ message: z.string() }).optional(),
    }),
  ),
});
const committed = z.object({ commitOid: z.string(), commitUrl: z.string().optional() });

interface LocalFile {
  path: string;
  content: Buffer;
  oid: string;
}

/**
 * Puts a model's folder on the Hugging Face hub, or on one that speaks like it, in one commit; the repository is made
 * where there is none.
 *
 * @param id `user/name` or `organisation/name`
 */
export async function pushModel(folder: string, id: string, options: PushOptions = {}): Promise<PushedModel> {
  if (!/^[\w.-]+\/[\w.-]+$/.test(id)) {
    throw new UsageError(`${id}: expected user/name, as the hub names models`);
  }
  const token = options.token ?? process.env.HF_TOKEN;
  if (!token) {
    throw new UsageError('a token is needed to write to a hub', {
      hint: 'make one with the right to write in the settings of your account, and give it as HF_TOKEN or with --token',
    });
  }
  const hub = new HubWriter({ id, token, endpoint: hubEndpoint(options.endpoint) });
  const files = await readFolder(folder);
  await hub.create(options.private ?? false);
  const large = await hub.chooseLarge(files);
  await hub.upload(large, options.onFile);
  return hub.commit(files, large, options.message ?? 'Upload a model with nearmiss');
}

async function readFolder(folder: string): Promise<LocalFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  return Promise.all(
    names.sort().map(async (name) => {
      const content = await readFile(join(folder, name));
      const oid = createHash('sha256').update(content).digest('hex');
      return { path: name.split(sep).join('/'), content, oid };
    }),
  );
}

class HubWriter {
  readonly #id: string;
  readonly #endpoint: string;
  readonly #headers: Record<string, string>;

  constructor({ id, token, endpoint }: { id: string; token: string; endpoint: string }) {
    this.#id = id;
    this.#endpoint = endpoint;
    this.#headers = { authorization: `Bearer ${token}` };
  }

  async create(isPrivate: boolean): Promise<void> {
    const [organization, name] = this.#id.split('/');
    const body = { type: 'model', name, organization, private: isPrivate };
    const response = await this.#post('/api/repos/create', JSON.stringify(body));
    // There already: then it is written to. A token for that repository alone may not make any.
    if (response.status === 409 || (response.status === 403 && (await this.#isThere()))) return;
    await this.#expectOk(response, 'make the repository');
  }

  async #isThere(): Promise<boolean> {
    const place = `${this.#endpoint}/api/models/${this.#id}`;
    const response = await this.#fetch(place, { headers: this.#headers });
    await response.body?.cancel();
    return response.ok;
  }

  /** Those files that the hub keeps apart from its repositories. */
  async chooseLarge(files: readonly LocalFile[]): Promise<LocalFile[]> {
    const described = files.map(({ path, content }) => ({
      path,
      size: content.length,
      sample: content.subarray(0, SAMPLE_BYTES).toString('base64'),
    }));
    const path = `/api/models/${this.#id}/preupload/main`;
    const response = await this.#post(path, JSON.stringify({ files: described }));
    const answer = await this.#read(response, 'begin the upload', modes);
    const large = new Set(answer.files.filter((file) => file.uploadMode === 'lfs').map((file) => file.path));
    return files.filter((file) => large.has(file.path));
  }

  async upload(files: readonly LocalFile[], onFile: PushOptions['onFile']): Promise<void> {
    if (files.length === 0) return;
    const objects = files.map(({ oid, content }) => ({ oid, size: content.length }));
    const body = { operation: 'upload', transfers: ['basic'], hash_algo: 'sha256', objects };
    const path = `/${this.#id}.git/info/lfs/objects/batch`;
    const response = await this.#post(path, JSON.stringify(body), {
      accept: LFS_JSON,
      'content-type': LFS_JSON,
    });
    const answer = await this.#read(response, 'upload large files', batch);
    for (const { oid, actions, error } of answer.objects) {
      const file = files.find((each) => each.oid === oid);
      if (!file) continue;
      if (error) throw new NearmissError(`${this.#id}: cannot upload ${file.path}: ${error.message}`);
      if (!actions) continue;
      onFile?.(file.path, file.content.length);
      const { href, header } = actions.upload;
      const sent = await this.#fetch(href, {
        method: 'PUT',
        body: new Uint8Array(file.content),
        headers: header,
      });
      await this.#expectOk(sent, `upload ${file.path}`);
      if (!actions.verify) continue;
      const { href: place, header: headers } = actions.verify;
      const verified = JSON.stringify({ oid, size: file.content.length });
      await this.#expectOk(
        await this.#fetch(place, {
          method: 'POST',
          body: verified,
          headers: { ...headers, 'content-type': LFS_JSON },
        }),
        `verify ${file.path}`,
      );
    }
  }

  async commit(
    files: readonly LocalFile[],
    large: readonly LocalFile[],
    summary: string,
  ): Promise<PushedModel> {
    const lines = files.map((file) => {
      const { path, content, oid } = file;
      if (large.includes(file)) {
        return { key: 'lfsFile', value: { path, algo: 'sha256', oid, size: content.length } };
      }
      return { key: 'file', value: { path, content: content.toString('base64'), encoding: 'base64' } };
    });
    const header = { key: 'header', value: { summary, description: '' } };
    const body = [header, ...lines].map((line) => JSON.stringify(line)).join('\n');
    const type = { 'content-type': 'application/x-ndjson' };
    const response = await this.#post(`/api/models/${this.#id}/commit/main`, body, type);
    const { commitOid } = await this.#read(response, 'commit', committed);
    return { url: `${this.#endpoint}/${this.#id}`, commit: commitOid };
  }

  #post(path: string, body: string, headers: Record<string, string> = {}): Promise<Response> {
    const all = { 'content-type': 'application/json', ...this.#headers, ...headers };
    return this.#fetch(`${this.#endpoint}${path}`, { method: 'POST', headers: all, body });
  }

  async #fetch(url: string, request: RequestInit): Promise<Response> {
    return fetch(url, request).catch((error) => {
      throw new NearmissError(`${this.#endpoint}: cannot be reached: ${networkReason(error)}`, {
        hint: 'nothing was committed; try again',
        cause: error,
      });
    });
  }

  async #read<T>(response: Response, what: string, schema: z.ZodType<T>): Promise<T> {
    await this.#expectOk(response, what);
    return parseJson(await response.text(), {
      where: response.url,
      schema,
      hint: 'HF_ENDPOINT may name something that is not a Hugging Face hub',
    });
  }

  async #expectOk(response: Response, what: string): Promise<void> {
    if (response.ok) return;
    const { error } = await response.json().then(
      (body) => z.object({ error: z.string() }).catch({ error: '' }).parse(body),
      () => ({ error: '' }),
    );
    const reason = error || response.statusText || 'no reason given';
    throw new NearmissError(`${this.#id}: cannot ${what}: the hub answers ${response.status}: ${reason}`, {
      hint: [401, 403].includes(response.status)
        ? 'the token must be valid and have the right to write to this name'
        : 'nothing was committed; try again',
    });
  }
}
