import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const SAMPLE_MS = 500;

export interface Step<T> {
  /** What it printed; undefined where its time was over. */
  result?: T;
  seconds: number;
  /** Processor time when it was last looked at, a server's too: what a busy machine has given to it. */
  cpuSeconds: number;
  /** The most memory that was no file's, of the process that has the index: what the system cannot take back. */
  anonymousMb: number;
}

/** Runs this program again for one step; it ends, with the server that it has started, when the time is over. */
export async function runStep<T>(args: readonly string[], limitSeconds: number): Promise<Step<T>> {
  const started = performance.now();
  const child = spawn(process.execPath, [...process.execArgv, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const end = (): void => {
    const server = serverOf(child.pid!);
    child.kill('SIGKILL');
    if (server !== undefined) process.kill(server, 'SIGKILL');
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
  const limit = setTimeout(end, 1000 * limitSeconds);
  let printed = '';
  child.stdout.on('data', (part: Buffer) => {
    printed += part;
  });
  const code = new Promise<number | null>((done) => child.once('close', done));
  let [anonymousMb, cpuSeconds] = [0, 0];
  const sampling = new AbortController();
  void (async () => {
    while (!sampling.signal.aborted) {
      const used = usedBy(child.pid!);
      anonymousMb = Math.max(anonymousMb, used.anonymousMb);
      cpuSeconds = Math.max(cpuSeconds, used.cpuSeconds);
      await sleep(SAMPLE_MS);
    }
  })();
  const ended = await code;
  sampling.abort();
  clearTimeout(limit);
  const seconds = Number(((performance.now() - started) / 1000).toFixed(1));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.removeListener(signal, end);
  if (ended === null && seconds >= limitSeconds) return { seconds, cpuSeconds, anonymousMb };
  if (ended !== 0) throw new Error(`${args.join(' ')}: ended with ${ended}`);
  return { result: JSON.parse(printed), seconds, cpuSeconds, anonymousMb };
}

/** Memory of the server that a process has started, or of itself; processor time of both. */
function usedBy(pid: number): { anonymousMb: number; cpuSeconds: number } {
  try {
    const server = serverOf(pid);
    const status = readFileSync(`/proc/${server ?? pid}/status`, 'utf8');
    const anonymousMb = Math.round(Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
    const cpuSeconds = processorSeconds(pid) + (server === undefined ? 0 : processorSeconds(server));
    return { anonymousMb, cpuSeconds };
  } catch {
    // It has just ended.
    return { anonymousMb: 0, cpuSeconds: 0 };
  }
}

/** Of all threads of a process so far. */
export function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  // utime and stime, in hundredths of a second.
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function serverOf(pid: number): number | undefined {
  try {
    const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
    return children.find((child) => readFileSync(`/proc/${child}/comm`, 'utf8').trim() === 'qdrant');
  } catch {
    return undefined;
  }
}
