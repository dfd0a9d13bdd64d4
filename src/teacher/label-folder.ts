import { join } from 'node:path';
import { z } from 'zod';
import { checkOf, fileCheckSchema, verifyCheck } from '../base/checked-file.js';
import { NearmissError } from '../base/errors.js';
import { exists } from '../base/files.js';
import { readJsonFile, writeSealedJsonFile } from '../base/json-file.js';
import { CREATED_BY } from '../base/version.js';
import { readRun } from '../evaluate/read-run.js';
import type { Run } from '../evaluate/run.js';
import { writeRun } from '../evaluate/write-run.js';

const LABELS_FILE = 'labels.json';
const SCORES_FILE = 'scores.trec';

const labelsSchema = z.object({
  format: z.literal('nearmiss-labels'),
  version: z.literal(1),
  /** Stands for the documents and queries that were scored. */
  dataFingerprint: z.string().optional(),
  /** The fingerprints of the models that scored. */
  teachers: z.array(z.string()),
  createdBy: z.string(),
  /** Of the scores; folders of earlier versions have none. */
  scores: fileCheckSchema.optional(),
});

/** How a table of teachers' scores came about. */
export type Labels = Omit<z.infer<typeof labelsSchema>, 'format' | 'version' | 'createdBy' | 'scores'>;

/** Writes teachers' scores as a run, and what they belong to, into a folder that the caller makes appear. */
export async function fillLabelFolder(folder: string, run: Run, labels: Labels): Promise<void> {
  await writeRun(join(folder, SCORES_FILE), run);
  await writeSealedJsonFile(join(folder, LABELS_FILE), {
    format: 'nearmiss-labels',
    version: 1,
    ...labels,
    createdBy: CREATED_BY,
    scores: await checkOf(join(folder, SCORES_FILE)),
  });
}

export function isLabelFolder(folder: string): Promise<boolean> {
  return exists(join(folder, LABELS_FILE));
}

/** The scores in a folder of labels, which must belong to the same data. */
export async function readLabelFolder(folder: string, dataFingerprint?: string): Promise<Run> {
  const path = join(folder, LABELS_FILE);
  const hint = 'label again: remove this folder, and give the same command';
  const labels = await readJsonFile(path, labelsSchema, { hint });
  const [had, expected] = [labels.dataFingerprint, dataFingerprint];
  if (had !== undefined && expected !== undefined && had !== expected) {
    throw new NearmissError(`${folder}: these scores were made for other documents or training queries`, {
      hint: 'label this collection and split, or name its own scores',
    });
  }
  if (labels.scores) {
    await verifyCheck(folder, SCORES_FILE, labels.scores, { what: 'the scores of teachers', remedy: hint });
  }
  return readRun(join(folder, SCORES_FILE));
}
