import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const CLI = resolve(import.meta.dirname, '../../dist/cli/main.js');

export interface ServerProcess {
  url: string;
  /** When it was started, as `performance.now()` has it. */
  startedAt: number;
  /** Resident memory in megabytes. */
  rssMb(): Promise<number>;
  stop(): Promise<void>;
}

/** `nearmiss serve` on a free port, as soon as it listens; what it prepares after that shows on stderr. */
export async function startServer(target: string, args: readonly string[]): Promise<ServerProcess> {
  // Beside the target, where it would be by default, it would stay.
  const state = await mkdtemp(join(tmpdir(), 'nearmiss-bench-state-'));
  const startedAt = performance.now();
  const child = spawn(process.execPath, [CLI, 'serve', target, '--port', '0', '--state', state, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const url = await new Promise<string>((found, fail) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      const [, address] = /listening on (http:[^"\s]+)/.exec(line) ?? [];
      if (address !== undefined) found(address);
      if (/"level":[456]0|"msg":"prepar/.test(line)) process.stderr.write(`${line}\n`);
    });
    child.once('exit', (code) => fail(new Error(`the server ended with ${code}`)));
  });
  return {
    url,
    startedAt,
    async rssMb() {
      const text = await fetch(`${url}/metrics`).then((response) => response.text());
      return Number(/^process_resident_memory_bytes (\d+)/m.exec(text)?.[1]) / 2 ** 20;
    },
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      await rm(state, { recursive: true, force: true });
    },
  };
}

/** Seconds from the start to the first answer to a search. */
export async function firstAnswer({ url, startedAt }: ServerProcess): Promise<number> {
  // The server holds the request until its index is open; the first encoding may outlast its patience.
  for (let status = 503; status !== 200; ) {
    const headers = { 'content-type': 'application/json' };
    const search = { method: 'POST', headers, body: '{"query":"first"}' };
    status = await fetch(`${url}/v1/search`, search).then((response) => response.status);
  }
  return (performance.now() - startedAt) / 1000;
}
