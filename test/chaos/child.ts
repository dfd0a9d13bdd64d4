import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Judged } from './outcome.js';

const CLOCK = resolve(import.meta.dirname, 'jumping-clock.mjs');

export interface ChildOptions {
  /** After this it counts as hung, and is killed. */
  timeoutMs: number;
  /** Kills it (SIGKILL) after so long, or so long after the first line it prints. */
  kill?: { afterMs: number; from?: 'start' | 'first line' };
  /** No file may grow beyond it: fails as a full disk does, in the middle of a write. */
  fileLimitBytes?: number;
  /** Sets its clock forward, or back, while it runs. */
  clock?: { afterMs: number; jumpMs: number };
  env?: NodeJS.ProcessEnv;
}

export interface ChildResult {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  /** Whether it was killed because it took too long. */
  isHung: boolean;
  /** Whether it was killed as asked. */
  isKilled: boolean;
  ms: number;
}

/** Blocks of `ulimit -f`: 512 bytes by POSIX, 1024 in bash; counted so that the limit holds in either. */
const LIMIT_BLOCK = 1024;

/** Runs `node …args` under a disturbance. */
export async function runChild(args: readonly string[], options: ChildOptions): Promise<ChildResult> {
  const { timeoutMs, kill, fileLimitBytes, clock, env } = options;
  const node = clock ? ['--import', CLOCK, ...args] : [...args];
  const [command, words] =
    fileLimitBytes === undefined
      ? [process.execPath, node]
      : [
          'sh',
          [
            '-c',
            `ulimit -f ${Math.floor(fileLimitBytes / LIMIT_BLOCK)} && exec "$0" "$@"`,
            process.execPath,
            ...node,
          ],
        ];
  const started = performance.now();
  const child = spawn(command, words, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      ...env,
      ...(clock && { CHAOS_CLOCK: `${clock.afterMs} ${clock.jumpMs}` }),
    },
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  let [isHung, isKilled] = [false, false];
  const end = (): void => void child.kill('SIGKILL');
  const timer = setTimeout(() => {
    isHung = true;
    end();
  }, timeoutMs);
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((done) =>
    child.once('close', (code, signal) => done({ code, signal })),
  );
  if (kill) {
    const begun = new Promise((done) => child.stdout.once('data', done));
    const due = kill.from === 'first line' ? begun.then(() => sleep(kill.afterMs)) : sleep(kill.afterMs);
    void due.then(() => {
      isKilled = child.exitCode === null && child.signalCode === null && !isHung;
      end();
    });
  }
  const { code, signal } = await ended;
  clearTimeout(timer);
  return { code, signal, stdout, stderr, isHung, isKilled, ms: performance.now() - started };
}

/** A line of a stack trace, which nobody is shown unless they ask for it. */
const STACK_LINE = /^\s+at .+:\d+:\d+\)?$/m;

/** Judges a command that was not killed: the same output, or exit code 1 and a message that names the file. */
export function judgeCommand(
  result: ChildResult,
  { expected, names }: { expected: string; names: readonly string[] },
): Judged {
  const { code, signal, stdout, stderr, isHung } = result;
  if (isHung) return { outcome: 'hung', detail: stderr.slice(-500) };
  if (code === 0)
    return stdout === expected ? { outcome: 'same' } : { outcome: 'silent', detail: stdout.slice(0, 500) };
  const isNamed = signal === null && !STACK_LINE.test(stderr) && names.some((name) => stderr.includes(name));
  return isNamed
    ? { outcome: 'named', detail: stderr.slice(-500) }
    : { outcome: 'crashed', detail: `${signal ?? code}: ${stderr.slice(-500)}` };
}
