import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** A pass that somebody has begun. */
interface Pass<T> {
  result: Promise<T>;
  /** Of whoever began it. */
  signal?: AbortSignal;
}

export interface SharedPassesOptions {
  /** Bytes of memory for results. */
  bytes: number;
  /** About what a result takes; what it is kept under comes on top of that. */
  resultBytes: () => number;
}

/** What a result takes besides itself: its key, its promise, its place among the others. */
const ENTRY_BYTES = 1024;

/**
 * Passes over all documents, whose results are kept: whoever asks the same while one goes on waits for it. A pass ends
 * when whoever began it does not want it any more; then somebody who still waits begins it again. What fails is forgotten.
 */
export class SharedPasses<T> {
  readonly #passes: LRUCache<string, Pass<T>>;

  constructor({ bytes, resultBytes }: SharedPassesOptions) {
    this.#passes = new LRUCache({ maxSize: bytes, sizeCalculation: () => ENTRY_BYTES + resultBytes() });
  }

  /**
   * @param question what the pass is about: it may be as large as the result, so what is kept is its hash
   * @param work is given the signal of whoever begins it
   */
  async get(
    question: unknown,
    work: (signal: AbortSignal | undefined) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const key = createHash('sha256').update(JSON.stringify(question)).digest('base64');
    for (;;) {
      signal?.throwIfAborted();
      const shared = this.#passes.get(key);
      if (shared === undefined) return this.#begin(key, { result: work(signal), signal });
      try {
        return await shared.result;
      } catch (error) {
        if (!shared.signal?.aborted) throw error;
      }
    }
  }

  #begin(key: string, pass: Pass<T>): Promise<T> {
    this.#passes.set(key, pass);
    pass.result.catch(() => {
      if (this.#passes.peek(key) === pass) this.#passes.delete(key);
    });
    return pass.result;
  }
}
