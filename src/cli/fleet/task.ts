import type { LoadedModel, ThreadStart } from '../../fleet/index.js';

/** A model that has been loaded for shards of one task. */
export interface OpenTask {
  /** What whoever asks compares with what it expects. */
  loaded: LoadedModel;
  compute(input: Uint8Array): Promise<Uint8Array>;
}

/** One thing that workers can do. */
export interface FleetTask {
  readonly name: string;
  open(start: Omit<ThreadStart, 'task'>): Promise<OpenTask>;
}
