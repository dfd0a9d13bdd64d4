import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { z } from 'zod';
import { hasCode } from '../errors.js';

/** How long a holder that the kernel cannot be asked about may give no sign of life. */
export const SILENT_MS = 60_000;

const holderSchema = z.object({
  pid: z.int().positive(),
  /** Boot and namespace are known on Linux only, as is the start. */
  host: z.string(),
  boot: z.string().optional(),
  pidNamespace: z.string().optional(),
  /** When the process began, in the kernel's count: a number that is given again has another start. */
  started: z.string().optional(),
  /** When it took the lock. */
  since: z.string(),
  /** Tells this lock from every other one. */
  token: z.string(),
});

/** The process that a lock file names. All of it is there unless an older version wrote it or a power cut emptied it. */
export type LockHolder = Partial<z.infer<typeof holderSchema>>;

/** What to write into a lock of this process. */
export function thisProcess(token: string): z.infer<typeof holderSchema> {
  const { pid } = process;
  return { pid, ...here(), started: statOf(pid)?.started, since: new Date().toISOString(), token };
}

export function parseHolder(text: string): LockHolder {
  try {
    const value: unknown = JSON.parse(text);
    // Locks of earlier versions are a number and nothing else.
    return typeof value === 'number' ? { pid: value } : (holderSchema.safeParse(value).data ?? {});
  } catch {
    return {};
  }
}

/**
 * What the kernel knows of a holder. It knows only processes of its own machine and container; of the others nothing
 * can be said from here, even if a process has their number.
 */
export function lifeOf(holder: LockHolder): 'alive' | 'gone' | 'unknown' {
  const { pid, started } = holder;
  if (pid === undefined) return 'unknown';
  // An older version's process gives no signs of life: while there is one of this number, it may be that.
  if (holder.host === undefined) return isProcess(pid) ? 'alive' : 'unknown';
  if (!isHere(holder)) return 'unknown';
  if (!isProcess(pid)) return 'gone';
  const stat = statOf(pid);
  if (!stat || started === undefined) return 'unknown';
  return stat.started === started && !stat.isZombie ? 'alive' : 'gone';
}

/** Whether process numbers mean the same to a holder and to us: one boot of one machine and, there, one container. */
export function isHere(holder: LockHolder): boolean {
  const { host, boot, pidNamespace } = here();
  return holder.host === host && holder.boot === boot && holder.pidNamespace === pidNamespace;
}

/** Names a holder in a message: `process 7`, or `process 7 on vm-2 (since 2026-01-31T10:00:00.000Z)`. */
export function describeHolder(holder: LockHolder): string {
  const { pid, host, since } = holder;
  if (pid === undefined) return 'an unknown process';
  if (host === undefined || isHere(holder)) return `process ${pid}`;
  return `process ${pid} on ${host} (since ${since})`;
}

/** How to get a lock that its holder has, to follow `stop that process first`. */
export function adviceOn(holder: LockHolder, file: string): string {
  const { pid, host, started } = holder;
  if (host !== undefined && !isHere(holder)) {
    return ` there; ${SILENT_MS / 1000} s after its last sign of life its lock is free`;
  }
  // Only where the start is known is it certain that the number is still that process's.
  return started === undefined ? ` (if process ${pid} is something else by now, remove "${file}")` : '';
}

function here(): { host: string; boot?: string; pidNamespace?: string } {
  return {
    host: hostname(),
    boot: ifKnown(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    // Containers on one machine may have one name (--network host), and each has a process 1.
    pidNamespace: ifKnown(() => readlinkSync('/proc/self/ns/pid')),
  };
}

function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !hasCode(error, 'ESRCH');
  }
}

function statOf(pid: number): { started: string; isZombie: boolean } | undefined {
  const stat = ifKnown(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The second field is the program's name in parentheses, with whatever is in it; the state is the third.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A dead process whose parent has not asked for its end keeps number and start, for ever in a container without init.
  return fields && { started: fields[22 - 3], isZombie: fields[0] === 'Z' };
}

function ifKnown<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
