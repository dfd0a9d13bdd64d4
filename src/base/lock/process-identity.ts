import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { hasCode } from '../errors.js';

/** What tells a process from every other one, on all machines that see the same files. */
export interface ProcessIdentity {
  pid: number;
  /** Boot and namespace are known on Linux only, as is the start. */
  host: string;
  boot?: string;
  pidNamespace?: string;
  /** When the process began, in the kernel's count: a number that is given again has another start. */
  started?: string;
}

export function thisIdentity(): ProcessIdentity {
  const { pid } = process;
  return { pid, ...here(), started: statOf(pid)?.started };
}

/**
 * What the kernel knows of a process. It knows only processes of its own machine and container; of the others nothing
 * can be said from here, even if a process has their number.
 */
export function lifeOf(identity: Partial<ProcessIdentity>): 'alive' | 'gone' | 'unknown' {
  const { pid, started } = identity;
  if (pid === undefined) return 'unknown';
  // An older version's process gives no signs of life: while there is one of this number, it may be that.
  if (identity.host === undefined) return isProcess(pid) ? 'alive' : 'unknown';
  if (!isHere(identity)) return 'unknown';
  if (!isProcess(pid)) return 'gone';
  const stat = statOf(pid);
  if (!stat || started === undefined) return 'unknown';
  return stat.started === started && !stat.isZombie ? 'alive' : 'gone';
}

/** Whether process numbers mean the same to a process and to us: one boot of one machine and, there, one container. */
export function isHere(identity: Partial<ProcessIdentity>): boolean {
  const { host, boot, pidNamespace } = here();
  return identity.host === host && identity.boot === boot && identity.pidNamespace === pidNamespace;
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
