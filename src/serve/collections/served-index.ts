import type { LiveSearcher } from '../../search/live/live-searcher.js';
import type { Searcher } from '../../search/searcher.js';
import { ApiError } from '../api-error.js';
import type { JudgmentStore } from '../judgments/judgment-store.js';
import { DEFAULT_LIMITS } from '../limits.js';
import { IndexHost } from './index-host.js';

const RETRY_SECONDS = 5;

export interface ServedIndexOptions {
  /** Opens the newest version of what is served. */
  open: () => Promise<Searcher>;
  /** The first version, where somebody has begun to open it. */
  opening?: Promise<Searcher>;
  /** Opens the first version, where that is another thing: e.g. one without what takes long to make. */
  openFirst?: () => Promise<Searcher>;
  /** Told when the first version answers. */
  onOpen?: () => void;
  /** Makes documents changeable; without it they are not. */
  openLive?: (base: Searcher) => Promise<LiveSearcher>;
  /** Opens where judgments are kept, when somebody asks for them; without it there are none. */
  openJudgments?: () => Promise<JudgmentStore>;
  /** Opened when it is first asked for, and not before. */
  lazy?: boolean;
  /** Told why what was asked for first could not be opened. */
  onFailure?: (error: unknown) => void;
  /** How long a request waits for the first version. Default: as for its turn. */
  openWaitMs?: number;
}

export interface ReloadResult {
  version: string;
  /** Whether there was something newer. */
  changed: boolean;
}

/**
 * The index that answers, whichever version it is: a newer one is opened beside it and takes over between two
 * requests. Each request works on one version from beginning to end.
 */
export class ServedIndex {
  readonly #options: ServedIndexOptions;
  readonly #opening = openable<IndexHost>();
  #first: Promise<Searcher> | undefined;
  #host: IndexHost | undefined;
  #judgments: Promise<JudgmentStore> | undefined;
  #starting: Promise<IndexHost> | undefined;
  #baseVersion = '';
  #reloading: Promise<unknown> = Promise.resolve();
  #next: Promise<ReloadResult> | undefined;

  constructor(options: ServedIndexOptions) {
    this.#options = options;
    this.#first = options.opening;
    this.#first?.catch(() => undefined);
  }

  /** Opens the first version; whoever asks before has been waiting for it. */
  async start(): Promise<void> {
    const { open, openFirst = open, onOpen } = this.#options;
    const opening = this.#first ?? openFirst();
    this.#first = undefined;
    const base = await opening;
    this.#baseVersion = base.version;
    let live: LiveSearcher | undefined;
    try {
      live = await this.#options.openLive?.(base);
    } catch (error) {
      await base.close();
      throw error;
    }
    this.#host = new IndexHost(base, live);
    this.#opening.resolve(this.#host);
    onOpen?.();
  }

  /** The version that answers now; `undefined` before the first is open. */
  get version(): string | undefined {
    return this.#host?.version;
  }

  get documents(): number {
    return this.#host?.documents ?? 0;
  }

  /** Works on one version, which stays open and as it is until the work has ended. */
  async use<T>(work: (searcher: Searcher) => Promise<T>): Promise<T> {
    const host = await this.#open();
    const { searcher, release } = host.lease();
    try {
      return await work(searcher);
    } finally {
      await release();
    }
  }

  /** Waits for the first version, but not for as long as it may take to make. */
  async #open(): Promise<IndexHost> {
    if (this.#host !== undefined) return this.#host;
    const starting = this.#options.lazy ? [this.#startLate()] : [];
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<never>((_, reject) => {
      const error = new ApiError(503, 'starting', 'the index is still being opened', {
        retryAfter: RETRY_SECONDS,
      });
      timer = setTimeout(() => reject(error), this.#options.openWaitMs ?? DEFAULT_LIMITS.waitMs);
    });
    try {
      return await Promise.race([this.#opening.promise, ...starting, tooLong]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** The first that asks begins; what fails is told to all who wait, and tried again when it is asked for again. */
  #startLate(): Promise<IndexHost> {
    this.#starting ??= this.start().then(
      () => this.#host!,
      (error) => {
        this.#starting = undefined;
        this.#options.onFailure?.(error);
        throw new ApiError(409, 'unavailable', 'it cannot be opened', {
          hint: "the server's log says why",
          cause: error,
        });
      },
    );
    return this.#starting;
  }

  /** What people judged; refuses where nothing can be kept. */
  async judgments(): Promise<JudgmentStore> {
    await this.#open();
    this.#judgments ??= this.#options.openJudgments?.().catch((error) => {
      this.#judgments = undefined;
      throw error;
    });
    if (this.#judgments !== undefined) return this.#judgments;
    throw new ApiError(403, 'forbidden', 'judgments are not kept here', {
      hint: 'whoever runs the server started it for reading alone',
    });
  }

  /** What takes writes; refuses where documents cannot be changed. */
  async writer(): Promise<LiveSearcher> {
    const { live } = await this.#open();
    if (live !== undefined) return live;
    throw new ApiError(403, 'forbidden', 'documents cannot be changed here', {
      hint: 'whoever runs the server started it for reading alone',
    });
  }

  /**
   * Opens the newest version and lets it take over. Where that fails, the present one stays. Calls that come while one
   * is going on share the next, because what they want to see may be newer than what it has read.
   */
  reload(): Promise<ReloadResult> {
    this.#next ??= this.#reloading.then(() => {
      this.#next = undefined;
      const reload = this.#reload();
      this.#reloading = reload.catch(() => undefined);
      return reload;
    });
    return this.#next;
  }

  async #reload(): Promise<ReloadResult> {
    const host = await this.#open();
    const base = await this.#options.open();
    const { version } = base;
    if (version === this.#baseVersion) {
      await base.close();
      return { version: host.version, changed: false };
    }
    try {
      await host.swap(base);
    } catch (error) {
      await base.close();
      throw error;
    }
    this.#baseVersion = version;
    return { version: host.version, changed: true };
  }

  /** Closes what is open; versions still at work are closed after that. */
  async close(): Promise<void> {
    this.#opening.reject(new ApiError(503, 'closing', 'the server is stopping'));
    await this.#first?.then(
      (base) => base.close(),
      () => undefined,
    );
    await this.#next?.catch(() => undefined);
    await this.#reloading;
    await this.#starting;
    await this.#judgments?.then(
      (judgments) => judgments.close(),
      () => undefined,
    );
    await this.#host?.close();
  }
}

/** A promise that is settled from outside; a rejection that nobody waits for is none. */
function openable<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (error: Error) => void } {
  let [resolve, reject] = [(_: T): void => undefined, (_: Error): void => undefined];
  const promise = new Promise<T>((yes, no) => {
    [resolve, reject] = [yes, no];
  });
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
