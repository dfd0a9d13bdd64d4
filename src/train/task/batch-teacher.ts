import type { ParameterStore } from '../../engine/index.js';
import type { MadeBatch } from './batch-maker.js';

/** A teacher as a task asks it, a whole batch at a time. */
export interface BatchTeacher {
  /** The batch with what its losses learn from the teacher. */
  teach(batch: MadeBatch, at: { step: number; part: number }): Promise<MadeBatch>;
  /** Called when the weights have been updated. */
  after?(step: number): Promise<void>;
  /** Writes the teacher's own model into a checkpoint, where it learns. */
  fill?(folder: string): Promise<void>;
  readonly state?: Readonly<Record<string, ParameterStore>>;
  close(): Promise<void>;
}

/**
 * Leaves negatives out that the teacher scores above the positive less a margin: they are likely to be relevant
 * (GISTEmbed, Solatorio 2024).
 */
export function guided(batch: MadeBatch, margin: number): MadeBatch {
  const { documentNumbers, positives, teacher } = batch;
  const columns = documentNumbers.length;
  const { scores, known } = teacher!;
  const masked = positives.map((positive, query) => {
    const at = (document: number): number => query * columns + document;
    const before = batch.masked?.[query] ?? [];
    if (known[at(positive)] === 0) return before;
    const most = scores[at(positive)] - margin;
    const above = [...documentNumbers.keys()].filter(
      (document) => document !== positive && known[at(document)] === 1 && scores[at(document)] > most,
    );
    return [...new Set([...before, ...above])];
  });
  return { ...batch, masked };
}

/** What a step's batches say of their teacher, for people; `undefined` where that is nothing. */
export function figuresOf(batches: readonly MadeBatch[]): Record<string, number> | undefined {
  let [margin, margins, left, drawn] = [0, 0, 0, 0];
  for (const { documentNumbers, positives, negatives, teacher, masked } of batches) {
    positives.forEach((positive, query) => {
      const at = (document: number): number => query * documentNumbers.length + document;
      drawn += negatives[query].length;
      left += negatives[query].filter((document) => masked?.[query].includes(document)).length;
      if (!teacher?.known[at(positive)]) return;
      for (const document of negatives[query]) {
        if (!teacher.known[at(document)]) continue;
        margin += teacher.scores[at(positive)] - teacher.scores[at(document)];
        margins++;
      }
    });
  }
  const figures = {
    ...(margins > 0 && { teacherMargin: margin / margins }),
    ...(batches.some(({ masked }) => masked) && drawn > 0 && { maskedShare: left / drawn }),
  };
  return Object.keys(figures).length > 0 ? figures : undefined;
}
