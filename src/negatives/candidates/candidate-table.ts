import { NearmissError } from '../../base/errors.js';
import type { CandidateData } from './candidate-data.js';
import { type LoadOptions, loadTable, saveTable } from './candidate-files.js';
import type { CandidateManifest, Provenance } from './manifest.js';

/** Marks an unused place in a table's `ids`, and a row that no checkpoint ranked. */
export const NONE = -1;

/**
 * The documents that may become negatives of each training query, in the order of their ranks. Row `q` of the
 * matrices belongs to query `q`; its first `counts[q]` places are used.
 *
 * @example
 * const { table } = await mine({ queryCount, documentCount, depth: 200, lists, positives, rules, source: 'bm25' });
 * await table.save('run/negatives/step-000300');
 * const same = await CandidateTable.load('run/negatives/step-000300');
 */
export class CandidateTable {
  readonly queryCount: number;
  /** The last rank that was looked at, and so the most candidates of a query. */
  readonly depth: number;
  /** queries × depth documents, −1 where fewer are left. */
  readonly ids: Int32Array;
  /** queries × depth scores; NaN where the source has none. */
  readonly scores: Float32Array;
  /** queries × depth ranks in the original ranking, from 1, before anything was excluded. */
  readonly ranks: Int32Array;
  /** For each query the step of the checkpoint that ranked it, or −1; they differ after {@link mergeTables}. */
  readonly checkpoints: Int32Array;
  /** How many candidates each query has. */
  readonly counts: Int32Array;
  readonly provenance: Provenance;

  constructor({ depth, ids, scores, ranks, checkpoints, provenance }: CandidateData) {
    const queryCount = checkpoints.length;
    for (const column of [ids, scores, ranks]) {
      if (column.length !== queryCount * depth) {
        throw new NearmissError(
          `candidates: expected ${queryCount} × ${depth} places in each column, got ${column.length}`,
        );
      }
    }
    this.queryCount = queryCount;
    this.depth = depth;
    this.ids = ids;
    this.scores = scores;
    this.ranks = ranks;
    this.checkpoints = checkpoints;
    this.provenance = provenance;
    this.counts = countCandidates(ids, queryCount, depth);
  }

  /** A table without candidates, to be filled. */
  static allocate(queryCount: number, depth: number): Omit<CandidateData, 'provenance'> {
    return {
      depth,
      ids: new Int32Array(queryCount * depth).fill(NONE),
      scores: new Float32Array(queryCount * depth),
      ranks: new Int32Array(queryCount * depth),
      checkpoints: new Int32Array(queryCount).fill(NONE),
    };
  }

  /** Reads a table that {@link CandidateTable.save} wrote; a damaged one is an error. */
  static async load(folder: string, options: LoadOptions = {}): Promise<CandidateTable> {
    return new CandidateTable(await loadTable(folder, options));
  }

  /** Writes the table to a folder, which appears when it is complete. */
  async save(folder: string, options: { overwrite?: boolean } = {}): Promise<CandidateManifest> {
    return saveTable(folder, this, options);
  }

  /** The candidates of a query, in the order of their ranks: views, not copies. */
  row(query: number): { ids: Int32Array; scores: Float32Array; ranks: Int32Array } {
    const start = query * this.depth;
    const end = start + this.counts[query];
    return {
      ids: this.ids.subarray(start, end),
      scores: this.scores.subarray(start, end),
      ranks: this.ranks.subarray(start, end),
    };
  }
}

function countCandidates(ids: Int32Array, queryCount: number, depth: number): Int32Array {
  const counts = new Int32Array(queryCount);
  for (let query = 0; query < queryCount; query++) {
    const start = query * depth;
    let filled = 0;
    while (filled < depth && ids[start + filled] >= 0) filled++;
    counts[query] = filled;
  }
  return counts;
}
