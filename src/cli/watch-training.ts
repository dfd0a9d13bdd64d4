import { printable } from '../base/printable.js';
import type { SuperviseOptions } from '../train/process/supervisor.js';

/** What a supervisor is to be told so that people see the run and Ctrl-C ends it cleanly. */
export interface WatchedTraining {
  supervise: Pick<SuperviseOptions, 'stopSignal' | 'onEvent' | 'onRestart' | 'onBusy'>;
  /** Prints a line that stays above the live view. */
  say: (message: string) => void;
  /** Whether Ctrl-C or SIGTERM came. */
  stopped: () => boolean;
  /** Leaves the last state on the terminal and gives the signals back. */
  close: () => void;
}

/** Opens the live view of a training run, and turns the first Ctrl-C into a clean stop. */
export async function watchTraining(options: { quiet?: boolean }): Promise<WatchedTraining> {
  const { LiveView } = await import('./live-view/live-view.js');
  const view = new LiveView({ quiet: options.quiet });
  const stop = new AbortController();
  const onInterrupt = (): void => {
    view.log('warning', 'stopping after this step; the same command goes on later');
    stop.abort();
  };
  process.once('SIGINT', onInterrupt).once('SIGTERM', onInterrupt);
  return {
    supervise: {
      stopSignal: stop.signal,
      onEvent: (role, event) => view.show(role, event),
      onRestart: (role, reason, waitMs) =>
        view.log('warning', `the ${role} died (${reason}); again in ${waitMs / 1000} s`),
      onBusy: (message) => view.log('warning', printable(message)),
    },
    say: (message) => view.log('info', message),
    stopped: () => stop.signal.aborted,
    close: () => {
      view.close();
      process.off('SIGINT', onInterrupt).off('SIGTERM', onInterrupt);
    },
  };
}
