import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pushModel } from './push-model.js';

/** What a hub does with a commit, on this machine: files by path after the commit. */
class WritableHub {
  readonly repositories = new Map<string, Map<string, string>>();
  readonly objects = new Map<string, Buffer>();
  readonly tokens = new Set<string | undefined>();
  /** The status that everything gets which is asked at such a path. */
  refuse: { status: number; at: RegExp } | undefined;
  endpoint = '';
  readonly #server: Server = createServer(async (request, response) => {
    const { status = 200, body = {} } = await this.#answer(request);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.endpoint = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage): Promise<{ status?: number; body?: object }> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const sent = Buffer.concat(chunks);
    const path = request.url!;
    const object = /^\/objects\/(\w+)$/.exec(path);
    if (this.refuse?.at.test(path)) return { status: this.refuse.status, body: { error: 'you shall not' } };
    if (object) {
      // Large files go to a store of their own, which must not see the token.
      expect(request.headers.authorization).toBeUndefined();
      expect(request.headers['x-signature']).toBe('signed');
      this.objects.set(object[1], sent);
      return {};
    }
    this.tokens.add(request.headers.authorization);
    if (path === '/api/repos/create') return this.#create(JSON.parse(sent.toString()));
    if (path.endsWith('/preupload/main')) {
      const { files } = JSON.parse(sent.toString()) as { files: { path: string; size: number }[] };
      const modeOf = (size: number): string => (size > 1000 ? 'lfs' : 'regular');
      return { body: { files: files.map((file) => ({ path: file.path, uploadMode: modeOf(file.size) })) } };
    }
    if (path.endsWith('.git/info/lfs/objects/batch')) {
      const { objects } = JSON.parse(sent.toString()) as { objects: { oid: string; size: number }[] };
      const upload = (oid: string): object => ({
        href: `${this.endpoint}/objects/${oid}`,
        header: { 'x-signature': 'signed' },
      });
      return {
        body: {
          objects: objects.map(({ oid, size }) => ({
            oid,
            size,
            ...(!this.objects.has(oid) && { actions: { upload: upload(oid) } }),
          })),
        },
      };
    }
    const asked = /^\/api\/models\/([^/]+\/[^/]+)$/.exec(path);
    if (asked) return this.repositories.has(asked[1]) ? {} : { status: 404, body: { error: 'not found' } };
    return this.#commit(path, sent.toString());
  }

  #create({ organization, name }: { organization: string; name: string }): {
    status?: number;
    body?: object;
  } {
    const id = `${organization}/${name}`;
    if (this.repositories.has(id)) return { status: 409, body: { error: 'exists' } };
    this.repositories.set(id, new Map());
    return {};
  }

  #commit(path: string, lines: string): { status?: number; body?: object } {
    const [, id] = /^\/api\/models\/(.+)\/commit\/main$/.exec(path)!;
    const files = this.repositories.get(id)!;
    for (const line of lines.split('\n')) {
      const { key, value } = JSON.parse(line);
      if (key === 'file') files.set(value.path, Buffer.from(value.content, value.encoding).toString());
      if (key === 'lfsFile') files.set(value.path, this.objects.get(value.oid)!.toString());
    }
    return { body: { commitOid: 'c0ffee', commitUrl: '' } };
  }
}

let hub: WritableHub;
let folder: string;
const LARGE = 'weights '.repeat(1000);
beforeEach(async () => {
  hub = new WritableHub();
  await hub.start();
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-push-'));
  await mkdir(join(folder, 'onnx'));
  await writeFile(join(folder, 'README.md'), '# A model\n');
  await writeFile(join(folder, 'onnx/model.onnx'), LARGE);
});
afterEach(async () => {
  await hub.stop();
  await rm(folder, { recursive: true });
});

test('a folder becomes a commit, large files apart; again into the same repository', async () => {
  const sent: string[] = [];
  const push = () =>
    pushModel(folder, 'user/name', {
      token: 'secret',
      endpoint: hub.endpoint,
      onFile: (name) => sent.push(name),
    });
  expect(await push()).toEqual({ url: `${hub.endpoint}/user/name`, commit: 'c0ffee' });
  expect([...hub.repositories.get('user/name')!]).toEqual([
    ['README.md', '# A model\n'],
    ['onnx/model.onnx', LARGE],
  ]);
  expect([...hub.tokens]).toEqual(['Bearer secret']);
  expect([...hub.objects.keys()]).toEqual([createHash('sha256').update(LARGE).digest('hex')]);
  await writeFile(join(folder, 'README.md'), '# Another\n');
  await push();
  expect(hub.repositories.get('user/name')!.get('README.md')).toBe('# Another\n');
  expect(sent).toEqual(['onnx/model.onnx']);
});

test('what is wrong is told', async () => {
  const push = (id: string, token?: string) => pushModel(folder, id, { token, endpoint: hub.endpoint });
  await expect(push('name', 'secret')).rejects.toThrow('name: expected user/name');
  await expect(push('user/name', '')).rejects.toThrow('a token is needed');
  hub.refuse = { status: 403, at: /create$/ };
  await expect(push('user/name', 'wrong')).rejects.toThrow(
    'user/name: cannot make the repository: the hub answers 403: you shall not',
  );
  expect(hub.repositories.size).toBe(0);
  hub.refuse = { status: 401, at: /^/ };
  await expect(push('user/name', 'wrong')).rejects.toMatchObject({
    hint: 'the token must be valid and have the right to write to this name',
  });
  hub.refuse = { status: 409, at: /commit/ };
  await expect(push('user/name', 'secret')).rejects.toThrow(
    'cannot commit: the hub answers 409: you shall not',
  );
  hub.refuse = { status: 503, at: /objects\/\w{64}$/ };
  hub.objects.clear();
  await expect(push('user/name', 'secret')).rejects.toThrow(
    'cannot upload onnx/model.onnx: the hub answers 503',
  );
  expect(hub.repositories.get('user/name')!.size).toBe(0);
});

test('a token that may write to a repository and make none', async () => {
  hub.repositories.set('user/name', new Map());
  hub.refuse = { status: 403, at: /create$/ };
  await pushModel(folder, 'user/name', { token: 'fine-grained', endpoint: hub.endpoint });
  expect(hub.repositories.get('user/name')!.get('README.md')).toBe('# A model\n');
});

test('a hub that is not there', async () => {
  const { endpoint } = hub;
  await hub.stop();
  await expect(pushModel(folder, 'user/name', { token: 'secret', endpoint })).rejects.toMatchObject({
    message: expect.stringMatching(/cannot be reached: .*ECONNREFUSED/),
    hint: 'nothing was committed; try again',
  });
  await hub.start();
});
