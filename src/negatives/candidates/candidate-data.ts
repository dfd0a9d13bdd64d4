import type { Provenance } from './manifest.js';

/** The columns of a table; see `CandidateTable`. */
export interface CandidateData {
  depth: number;
  ids: Int32Array;
  scores: Float32Array;
  ranks: Int32Array;
  checkpoints: Int32Array;
  provenance: Provenance;
}
