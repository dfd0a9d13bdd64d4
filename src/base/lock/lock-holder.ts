import { z } from 'zod';
import { isHere, thisIdentity } from './process-identity.js';

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
  return { ...thisIdentity(), since: new Date().toISOString(), token };
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
