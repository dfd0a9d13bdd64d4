import { ROLES } from '../../run/events.js';
import { takeRole } from './processes.js';
import type { SuperviseOptions } from './supervisor.js';

/**
 * Trainer and Inferencer side by side in this process, until both have finished: for kinds that are objects of this
 * program. Nobody starts one again that fails.
 */
export async function takeBothRoles({
  path,
  threads,
  provider,
  onEvent,
  stopSignal,
  fleet,
}: Pick<
  SuperviseOptions,
  'path' | 'threads' | 'provider' | 'onEvent' | 'stopSignal' | 'fleet'
>): Promise<void> {
  const failed = new AbortController();
  const results = await Promise.allSettled(
    ROLES.map((role) =>
      takeRole(role, path, {
        session: { threads: threads[role], provider, spinning: false },
        stopSignal: AbortSignal.any([stopSignal, failed.signal]),
        onEvent: (event) => onEvent(role, event),
        quiet: true,
        fleet,
      }).catch((error) => {
        failed.abort();
        throw error;
      }),
    ),
  );
  const failure = results.find((result) => result.status === 'rejected');
  if (failure) throw failure.reason;
}
