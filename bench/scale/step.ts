import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const SAMPLE_MS = 500;

export interface Step<T> {
  /** What it printed; undefined where its time was over. */
  result?: T;
  seconds: number;
  /** The most memory that was no file's, of the process that has the index: what the system cannot take back. */
  anonymousMb: number;
}

/** Runs this program again for one step, in a group of processes that ends with it, and as a whole when the time is over. */
export async function runStep<T>(args: readonly string[], limitSeconds: number): Promise<Step<T>> {
  const started = performance.now();
  const child = spawn(process.execPath, [...process.execArgv, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const end = (): void => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // The group has ended by itself.
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
  const limit = setTimeout(end, 1000 * limitSeconds);
  let printed = '';
  child.stdout.on('data', (part: Buffer) => {
    printed += part;
  });
  const code = new Promise<number | null>((done) => child.once('close', done));
  let anonymousMb = 0;
  const sampling = new AbortController();
  void (async () => {
    while (!sampling.signal.aborted) {
      anonymousMb = Math.max(anonymousMb, anonymousMegabytes(child.pid!));
      await sleep(SAMPLE_MS);
    }
  })();
  const ended = await code;
  sampling.abort();
  clearTimeout(limit);
  end();
  const seconds = Number(((performance.now() - started) / 1000).toFixed(1));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.removeListener(signal, end);
  if (ended === null && seconds >= limitSeconds) return { seconds, anonymousMb };
  if (ended !== 0) throw new Error(`${args.join(' ')}: ended with ${ended}`);
  return { result: JSON.parse(printed), seconds, anonymousMb };
}

/** Of the server that a process has started, or of itself. */
function anonymousMegabytes(pid: number): number {
  try {
    const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
    const server = children.find((child) => readFileSync(`/proc/${child}/comm`, 'utf8').trim() === 'qdrant');
    const status = readFileSync(`/proc/${server ?? pid}/status`, 'utf8');
    return Math.round(Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
  } catch {
    // It has just ended.
    return 0;
  }
}
