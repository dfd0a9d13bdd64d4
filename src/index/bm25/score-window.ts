/** Documents scored at a time: the scores stay in the processor's first cache, and bounds are fresh for each window. */
export const WINDOW_SIZE = 4096;

/** Scores of the documents from `start` up to, not including, `end`. */
export class ScoreWindow {
  start = 0;
  end = 0;
  readonly scores = new Float64Array(WINDOW_SIZE);
  /** One bit for each document that has a score. */
  readonly seen = new Uint32Array(WINDOW_SIZE >>> 5);

  /** Lets it stand for the documents from `start`, none from `limit` on. */
  moveTo(start: number, limit: number): void {
    this.start = start;
    this.end = Math.min(start + WINDOW_SIZE, limit);
  }
}
