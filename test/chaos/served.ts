import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../src/engine/random.js';
import { type Judged, judge, type Tally } from './outcome.js';
import { writeCorpus } from './subjects.js';

const CLI = resolve(import.meta.dirname, '../../dist/cli/main.js');
const CLOCK = resolve(import.meta.dirname, 'jumping-clock.mjs');
const TIMEOUT_MS = 120_000;

interface Served {
  url: string;
  child: ChildProcess;
}

async function serve(data: string, state: string, clock?: string): Promise<Served> {
  const args = [CLI, 'serve', data, '--port', '0', '--state', state, '--threads', '2'];
  const child = spawn(process.execPath, clock === undefined ? args : ['--import', CLOCK, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...(clock !== undefined && { CHAOS_CLOCK: clock }) },
  });
  let said = '';
  const url = await new Promise<string>((found, fail) => {
    createInterface({ input: child.stderr! }).on('line', (line) => {
      said += `${line}\n`;
      const [, address] = /listening on (http:[^"\s]+)/.exec(line) ?? [];
      if (address !== undefined) found(address);
    });
    child.once('exit', (code) => fail(new Error(`the server ended with ${code}: ${said.slice(-800)}`)));
  });
  return { url, child };
}

async function call(url: string, method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: body ? { 'content-type': 'application/json' } : {},
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const answer = (await response.json()) as { error?: { message: string } };
  if (response.ok) return answer;
  throw new Error(`${method} ${path}: ${response.status}: ${answer.error?.message}`);
}

async function hitsOf(url: string, query: string): Promise<unknown> {
  // By words: the server makes vectors meanwhile, and then searches by both where nobody says how.
  const search = { query, k: 15, mode: 'bm25' };
  const { hits } = (await call(url, 'POST', '/v1/search', search)) as { hits: { id: string }[] };
  return hits.map(({ id }) => id);
}

export interface ServedOptions {
  seed: number;
  /** Clients that are slow, vanish or send half a request. */
  clients: number;
  /** How often the server is killed while it is written to, and started again. */
  kills: number;
}

/** Serves a collection to clients that vanish and send slowly, and kills the server while it is written to. */
export async function disturbServer(tally: Tally, options: ServedOptions): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-served-'));
  const random = Random.from(options.seed, 'served');
  const [data, state] = [await writeCorpus(folder), join(folder, 'state')];
  let served: Served | undefined;
  try {
    served = await serve(data, state);
    await vanish(served, tally, { ...options, random });
    const acknowledged = new Set<string>();
    for (let kill = 0; kill < options.kills; kill++) {
      const { url, child } = served;
      const ended = once(child, 'exit');
      const writing = writeUntilKilled(url, `k${kill}`, acknowledged);
      await sleep(random.integer(400));
      child.kill('SIGKILL');
      await Promise.all([ended, writing]);
      // Every other start finds itself a day later, or earlier, than the last.
      const clock = kill % 2 === 1 ? `0 ${(random.uniform() - 0.5) * 2e8}` : undefined;
      served = await serve(data, state, clock);
      tally.add(
        `serve: kill ${kill} of seed ${options.seed}`,
        await judgeKept(served, acknowledged),
        'killed',
      );
    }
  } finally {
    if (served && served.child.exitCode === null && served.child.signalCode === null) {
      const ended = once(served.child, 'exit');
      served.child.kill('SIGTERM');
      await ended;
    }
    await rm(folder, { recursive: true, force: true });
  }
}

/** Notes what was acknowledged, until the server is gone. */
async function writeUntilKilled(url: string, name: string, acknowledged: Set<string>): Promise<void> {
  for (let write = 0; ; write++) {
    const id = `${name}-${write}`;
    try {
      await call(url, 'PUT', `/v1/documents/${id}`, { text: `medlar ${id}` });
      acknowledged.add(id);
    } catch {
      return;
    }
  }
}

async function judgeKept({ url }: Served, acknowledged: ReadonlySet<string>): Promise<Judged> {
  for (const id of acknowledged) {
    const found = await call(url, 'GET', `/v1/documents/${id}`).catch((error: Error) => error);
    if (found instanceof Error) return { outcome: 'lost', detail: `${id}: ${found.message}` };
    if ((found as { text: string }).text !== `medlar ${id}`) {
      return { outcome: 'silent', detail: JSON.stringify(found) };
    }
  }
  return { outcome: 'same' };
}

async function vanish(
  { url, child }: Served,
  tally: Tally,
  { clients, seed, random }: ServedOptions & { random: Random },
): Promise<void> {
  const expected = await hitsOf(url, 'pear fig');
  const batch = JSON.stringify({ queries: Array.from({ length: 200 }, (_, i) => `pear ${i}`) });
  const whole = (body: string): string =>
    `POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const kinds: Record<string, () => string> = {
    'half a header': () => whole(batch).slice(0, random.integer(90)),
    'half a body': () => whole(batch).slice(0, 120 + random.integer(batch.length - 120)),
    'gone before the answer': () => whole(batch),
    'not HTTP': () => String.fromCharCode(...Array.from({ length: 200 }, () => random.integer(256))),
  };
  const names = Object.keys(kinds);
  const sockets: ReturnType<typeof connect>[] = [];
  for (let i = 0; i < clients; i++) {
    const name = names[i % names.length];
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(kinds[name](), 'latin1');
    // Some stay and say no more; the rest vanish.
    if (random.uniform() < 0.3) sockets.push(socket);
    else setTimeout(() => socket.destroy(), random.integer(60));
    const judged = await judge(() => hitsOf(url, 'pear fig'), { expected, names: [], timeoutMs: TIMEOUT_MS });
    const isAlive = child.exitCode === null && child.signalCode === null;
    tally.add(
      `serve: ${name} ${i} of seed ${seed}`,
      isAlive ? judged : { outcome: 'crashed', detail: 'the server has ended' },
      undefined,
    );
  }
  for (const socket of sockets) socket.destroy();
}
