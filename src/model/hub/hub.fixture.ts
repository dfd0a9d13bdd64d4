import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export const COMMIT = 'c0ffee'.padEnd(40, '0');

/** A small Hugging Face hub on this machine: lists files with hashes, serves ranges, and fails on demand. */
export class LocalHub {
  /** Content by file name. `*.safetensors` are announced and served as large files, behind a redirect. */
  readonly files = new Map<string, Buffer>();
  readonly requests: { method: string; path: string; range?: string; authorization?: string }[] = [];
  endpoint = '';
  commit = COMMIT;
  id = 'org/model';
  /** Cuts the connection after so many bytes of a large file's answer, once for each entry. */
  breakAfter: number[] = [];
  /** Answers every request like this. */
  refuse?: { status: number; code?: string };
  /** Statuses to answer first, one a request. */
  stumble: number[] = [];
  ignoreRanges = false;
  /** What to claim about a file instead of the truth. */
  lie: Record<string, object> = {};
  #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<LocalHub> {
    const server = createServer();
    const hub = new LocalHub(server);
    server.on('request', (request, response) => hub.#answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    hub.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return hub;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const path = decodeURIComponent(new URL(request.url!, this.endpoint).pathname);
    const { range, authorization } = request.headers;
    this.requests.push({ method: request.method!, path, range, authorization });
    const stumble = this.stumble.shift();
    const [, kind, name] = /^\/(org\/model\/resolve|large)\/[0-9a-f]{40}\/(.+)$/.exec(path) ?? [];
    const content = this.files.get(name);
    if (stumble) response.writeHead(stumble).end();
    else if (this.refuse) {
      const { status, code } = this.refuse;
      response.writeHead(status, code ? { 'x-error-code': code } : {}).end();
    } else if (path.startsWith(`/api/models/${this.id}/revision/`)) {
      this.#list(response);
    } else if (!content) {
      response.writeHead(404, { 'x-error-code': 'RepoNotFound' }).end();
    } else if (name.endsWith('.safetensors') && kind !== 'large') {
      response.writeHead(302, { location: `/large/${this.commit}/${name}` }).end();
    } else {
      this.#serve(response, content, kind === 'large', range);
    }
  }

  #list(response: ServerResponse): void {
    const siblings = [...this.files].map(([rfilename, content]) => {
      const sha256 = createHash('sha256').update(content).digest('hex');
      const blobId = createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
      const large = rfilename.endsWith('.safetensors') && { lfs: { sha256, size: content.length } };
      return { rfilename, size: content.length, blobId, ...large, ...this.lie[rfilename] };
    });
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ id: this.id, sha: this.commit, siblings }));
  }

  /**
   * What was sent counts only if the client has taken it before the connection is torn down. It runs in this thread: many
   * pauses give it many turns, also where one of them takes long because the machine is busy.
   */
  async #breakOff(response: ServerResponse): Promise<void> {
    for (let pause = 0; pause < 20; pause++) await sleep(10);
    response.destroy();
  }

  #serve(response: ServerResponse, content: Buffer, large: boolean, range?: string): void {
    const start = this.ignoreRanges ? 0 : Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
    if (start > 0 && start >= content.length) {
      response.writeHead(416).end();
      return;
    }
    const partial = start > 0 && {
      'content-range': `bytes ${start}-${content.length - 1}/${content.length}`,
    };
    response.writeHead(partial ? 206 : 200, { 'content-length': content.length - start, ...partial });
    const breakAfter = large ? this.breakAfter.shift() : undefined;
    if (breakAfter === undefined) response.end(content.subarray(start));
    else {
      response.write(content.subarray(start, start + breakAfter), () => void this.#breakOff(response));
    }
  }
}
