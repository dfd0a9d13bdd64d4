import { NearmissError } from '../../base/errors.js';
import { takeRole } from './processes.js';
import type { RoleMessage, RoleTask } from './supervisor.js';

const task: RoleTask = JSON.parse(process.argv[2]);
const stop = new AbortController();
const tell = (message: RoleMessage): void => {
  if (process.connected) process.send?.(message);
};

process.on('SIGTERM', () => stop.abort());
// Ctrl-C reaches the whole group; the supervisor decides when its processes stop.
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit(0));

try {
  await takeRole(task.role, task.path, {
    session: { threads: task.threads, provider: task.provider },
    stopSignal: stop.signal,
    onEvent: (event) => tell({ event }),
    until: task.until,
    fleet: task.fleet,
    waitMs: task.waitMs,
    quiet: true,
  });
} catch (error) {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const hint = error instanceof NearmissError ? error.hint : undefined;
  tell({ failed: { message, hint, stack } });
  process.exitCode = 1;
}
if (process.connected) process.disconnect();
