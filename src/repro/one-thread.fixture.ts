import type { SuperviseOptions } from '../train/process/supervisor.js';

/** How experiments of tests run: with one thread, watched by nobody and never stopped. */
export function oneThread(): { threads: number; supervise: Omit<SuperviseOptions, 'path' | 'until'> } {
  return {
    threads: 1,
    supervise: {
      threads: { trainer: 1, inferencer: 1 },
      onEvent: () => undefined,
      onRestart: () => undefined,
      stopSignal: new AbortController().signal,
    },
  };
}
