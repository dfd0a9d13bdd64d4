import { openDataset } from '../../data/index.js';
import { Encoder, loadEncoderModel } from '../../model/index.js';
import { readRunDescription } from '../../run/run-description.js';
import type { RunDirectory } from '../../run/run-directory.js';

/** A run's last model applied to every text from scratch: no index, no token cache, no engine for the products. */
export class BruteForce {
  readonly documentIds: string[] = [];
  readonly vectors: Float32Array[] = [];
  readonly queries = new Map<string, Float32Array>();

  static async of(run: RunDirectory, step: number): Promise<BruteForce> {
    const all = new BruteForce();
    const encoder = await Encoder.create(await loadEncoderModel(run.stepPath('checkpoints', step)), {
      session: { threads: 1 },
    });
    const dataset = await openDataset((await readRunDescription(run)).data);
    for await (const { id, text } of dataset.documents()) {
      all.documentIds.push(id);
      all.vectors.push((await encoder.encode([text], { use: 'document' })).vectors);
    }
    for await (const { id, text } of dataset.queries()) {
      all.queries.set(id, (await encoder.encode([text], { use: 'query' })).vectors);
    }
    await encoder.release();
    return all;
  }

  scores(queryId: string): number[] {
    const query = this.queries.get(queryId)!;
    return this.vectors.map((vector) => vector.reduce((sum, value, i) => sum + value * query[i], 0));
  }

  /** The documents with a score of at least the n-th best of those allowed, with a little for rounding. */
  top(queryId: string, count: number, allowed: (document: number) => boolean): Set<number> {
    const scores = this.scores(queryId);
    const candidates = scores.map((_, i) => i).filter(allowed);
    const nth = candidates.map((i) => scores[i]).sort((a, b) => b - a)[count - 1];
    return new Set(candidates.filter((i) => scores[i] >= nth - 1e-5));
  }
}
