import type { FastifyBaseLogger } from 'fastify';
import type { PrepareStep } from '../../search/searcher.js';

type Say = (log: FastifyBaseLogger) => void;

/** Keeps what is said before there is a server whose log could take it. */
export class EarlyLog {
  #log: FastifyBaseLogger | undefined;
  #kept: Say[] = [];

  /** Passes on what was kept, and from now on everything. */
  flushTo(log: FastifyBaseLogger): void {
    this.#log = log;
    for (const say of this.#kept.splice(0)) say(log);
  }

  warn(message: string): void {
    this.#say((log) => log.warn(message));
  }

  /** What takes long is said once when it begins and once when it is done. */
  progress(step: PrepareStep): { advance(): void; finish(): void } {
    const start = performance.now();
    this.#say((log) => log.info({ ...step }, 'preparing'));
    const finish = (): void => {
      const seconds = Math.round(performance.now() - start) / 1000;
      this.#say((log) => log.info({ label: step.label, seconds }, 'prepared'));
    };
    return { advance: () => undefined, finish };
  }

  #say(say: Say): void {
    if (this.#log) say(this.#log);
    else this.#kept.push(say);
  }
}
