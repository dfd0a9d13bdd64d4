import type { Role } from '../../run/events.js';

/** The file in a run's folder that the process of a role holds, so that there is one of each. */
export function roleLock(role: Role): string {
  return `${role}.lock`;
}
