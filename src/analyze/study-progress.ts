/** How far a long look at a run has come. */
export interface StudyProgress {
  /** What is being done, e.g. `encode`. */
  part: string;
  done: number;
  total: number;
}
