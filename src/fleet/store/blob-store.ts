/**
 * Where a fleet keeps what is too large for a queue. A blob appears complete or not at all; whoever writes one again writes the same.
 */
export interface BlobStore {
  /** To be shown, and to be given to workers. */
  readonly address: string;
  /** Undefined where there is none. */
  get(name: string): Promise<Uint8Array | undefined>;
  has(name: string): Promise<boolean>;
  put(name: string, content: Uint8Array): Promise<void>;
  /** Harmless where there is none. */
  remove(name: string): Promise<void>;
}
