import { SILENT_MS } from './lock-holder.js';

/** How often a holder gives a sign of life. */
export const BEAT_MS = 5_000;

/** In this time a holder that lives gives a sign. */
const PROOF_MS = 1.5 * BEAT_MS;

/** When this process first saw a lock's last sign of life (by a clock that nobody sets), and how old that was said to be. */
interface FirstLook {
  sign: string;
  at: number;
  ageMs: number;
}

/** By the locks' paths. */
const firstLooks = new Map<string, FirstLook>();

/**
 * Whether a lock has been without a sign of life for so long that it may be taken from its holder. A file's time and the
 * clock it is compared with may have been set in between: back, and the sign is of the future; forward, and one just
 * given looks old. So the silence is timed from the first look, and what came before it counts only as far as a holder
 * that lives has time left to show it.
 *
 * @param sign tells this sign of life of this holder from every other
 * @param ageMs how old it is by the files' times
 */
export function isSilent(path: string, sign: string, ageMs: number): boolean {
  let first = firstLooks.get(path);
  if (first?.sign !== sign) {
    first = { sign, at: performance.now(), ageMs };
    firstLooks.set(path, first);
  }
  const before = Math.max(0, Math.min(first.ageMs, SILENT_MS - PROOF_MS));
  return before + performance.now() - first.at > SILENT_MS;
}
