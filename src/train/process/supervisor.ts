import { type ChildProcess, fork } from 'node:child_process';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { NearmissError } from '../../base/errors.js';
import { lockHolder } from '../../base/lock/file-lock.js';
import { describeHolder } from '../../base/lock/lock-holder.js';
import { packageFile } from '../../base/package-files.js';
import type { FleetPlace } from '../../fleet/index.js';
import { ROLES, type Role, type TimedEvent } from '../../run/events.js';
import { roleLock } from './role-lock.js';
import { RoleProgress } from './role-progress.js';

/** What a role's process is told when it starts. */
export interface RoleTask {
  role: Role;
  path: string;
  threads?: number;
  /** What the engine computes on. */
  provider?: string;
  /** Pauses the run at this checkpoint, when it has been measured. */
  until?: number;
  /** Encodes on the workers of a queue. */
  fleet?: FleetPlace;
  /** How long to wait for another process of the same role to let go of the run. */
  waitMs: number;
}

/** What a role's process tells its supervisor. */
export type RoleMessage =
  | { event: TimedEvent }
  | { failed: { message: string; hint?: string; stack?: string } };

export interface SuperviseOptions {
  path: string;
  threads: Record<Role, number | undefined>;
  /** What the engine of both computes on. Default `cpu`. */
  provider?: string;
  onEvent: (role: Role, event: TimedEvent) => void;
  /** Told when a process died and will be started again. */
  onRestart: (role: Role, reason: string, waitMs: number) => void;
  /** Told at once when others train this run already, which are waited for. */
  onBusy?: (message: string) => void;
  stopSignal: AbortSignal;
  /** Pauses the run at this checkpoint, when it has been measured; it goes on when it is supervised again. */
  until?: number;
  /** The Inferencer has the collection encoded by the workers of a queue. */
  fleet?: FleetPlace;
  /** First wait before a restart; doubles with each that follows. Default 1000. */
  backOffMs?: number;
  /** Restarts without any progress in between before giving up. Default 5. */
  maxRestarts?: number;
}

/** A supervisor that was killed leaves its processes behind; a new one has to wait for them to notice. */
const TAKE_OVER_MS = 60_000;
/** How long a process has to finish its step after a stop was asked for. */
const STOP_MS = 30_000;

/**
 * Runs Trainer and Inferencer as two processes until both have finished. One that is killed is started again and
 * goes on from the run's folder; one that reports an error ends the run with that error.
 */
export async function supervise(options: SuperviseOptions): Promise<void> {
  await tellOfOthers(options);
  const abort = new AbortController();
  const stop = (): void => abort.abort();
  options.stopSignal.addEventListener('abort', stop, { once: true });
  if (options.stopSignal.aborted) stop();
  const results = await Promise.allSettled(
    ROLES.map((role) =>
      keepRunning(role, options, abort.signal).catch((error) => {
        abort.abort();
        throw error;
      }),
    ),
  );
  options.stopSignal.removeEventListener('abort', stop);
  const failure = results.find((result) => result.status === 'rejected');
  if (failure) throw failure.reason;
}

async function tellOfOthers({ path, onBusy }: SuperviseOptions): Promise<void> {
  for (const role of ROLES) {
    const holder = await lockHolder(join(path, roleLock(role)));
    if (!holder) continue;
    const { pid, host = hostname() } = holder;
    const who = pid === undefined ? describeHolder(holder) : `process ${pid} on ${host}`;
    onBusy?.(`${path}: ${who} is this run's ${role}; waiting ${TAKE_OVER_MS / 1000} s at most for it to end`);
  }
}

/** Starts a role's process, again and again until it has done its work. */
async function keepRunning(role: Role, options: SuperviseOptions, stopSignal: AbortSignal): Promise<void> {
  const { backOffMs = 1000, maxRestarts = 5 } = options;
  const progress = new RoleProgress();
  for (let failures = 0; !stopSignal.aborted; ) {
    const before = progress.marks;
    const onEvent = (from: Role, event: TimedEvent): void => {
      progress.note(event);
      options.onEvent(from, event);
    };
    const end = await runOnce(role, { ...options, onEvent }, stopSignal);
    if (end.done || stopSignal.aborted) return;
    failures = progress.marks > before ? 1 : failures + 1;
    if (failures > maxRestarts) {
      throw new NearmissError(`the ${role} died ${failures} times without getting anywhere (${end.reason})`, {
        hint: 'out of memory is the usual cause: make batch.queries or model.maxLength smaller; nothing is lost',
      });
    }
    const waitMs = backOffMs * 2 ** (failures - 1);
    options.onRestart(role, end.reason, waitMs);
    await sleep(waitMs, undefined, { signal: stopSignal }).catch(() => undefined);
  }
}

interface ProcessEnd {
  done: boolean;
  reason: string;
}

function runOnce(role: Role, options: SuperviseOptions, stopSignal: AbortSignal): Promise<ProcessEnd> {
  const { path, threads, provider, until, fleet } = options;
  const task: RoleTask = { role, path, threads: threads[role], provider, until, fleet, waitMs: TAKE_OVER_MS };
  const child = fork(packageFile('dist/train/process/role-process.js'), [JSON.stringify(task)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  return new Promise((resolve, reject) => {
    let failure: NearmissError | undefined;
    child.on('message', (message: RoleMessage) => {
      if ('event' in message) {
        options.onEvent(role, message.event);
      } else {
        const { hint, stack } = message.failed;
        failure = new NearmissError(`${role}: ${message.failed.message}`, { hint });
        failure.stack = stack;
      }
    });
    const onStop = (): void => endGently(child);
    stopSignal.addEventListener('abort', onStop, { once: true });
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      stopSignal.removeEventListener('abort', onStop);
      if (failure) reject(failure);
      else resolve({ done: code === 0, reason: signal ? `signal ${signal}` : `exit code ${code}` });
    });
  });
}

/** Asks a process to stop after its step, and ends it if it does not. */
function endGently(child: ChildProcess): void {
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  child.once('exit', () => clearTimeout(timer));
}
