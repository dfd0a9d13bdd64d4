import { join } from 'node:path';
import { z } from 'zod';
import { NearmissError } from '../base/errors.js';
import { readJsonFile, writeSealedJsonFile } from '../base/json-file.js';

const PSEUDO_FILE = 'pseudo-labels.json';

const pseudoSchema = z.object({
  format: z.literal('nearmiss-pseudo-labels'),
  version: z.literal(1),
  /** Stands for the documents and queries that the numbers belong to. */
  dataFingerprint: z.string().optional(),
  /** Queries that were looked at, those without a positive included. */
  asked: z.int().min(0),
  /** By their numbers in the collection. */
  examples: z.array(
    z.object({ query: z.int().min(0), positive: z.int().min(0), negatives: z.array(z.int().min(0)) }),
  ),
});

/** Examples that a model made out of queries without judgments. */
export type PseudoLabels = Omit<z.infer<typeof pseudoSchema>, 'format' | 'version'>;

/** Writes examples into a folder that the caller makes appear. */
export async function fillPseudoFolder(folder: string, labels: PseudoLabels): Promise<void> {
  const content = { format: 'nearmiss-pseudo-labels', version: 1, ...labels };
  await writeSealedJsonFile(join(folder, PSEUDO_FILE), content);
}

/** The examples in a folder, which must belong to the same data. */
export async function readPseudoFolder(folder: string, dataFingerprint?: string): Promise<PseudoLabels> {
  const hint = 'remove this folder, and give the same command again';
  const labels = await readJsonFile(join(folder, PSEUDO_FILE), pseudoSchema, { hint });
  const had = labels.dataFingerprint;
  if (had !== undefined && dataFingerprint !== undefined && had !== dataFingerprint) {
    throw new NearmissError(`${folder}: these examples were made of other documents or queries`, {
      hint: 'make them for this collection and split, or name its own',
    });
  }
  return labels;
}
