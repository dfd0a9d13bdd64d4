import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { NearmissError } from '../base/errors.js';
import { text } from '../base/settings.js';
import type { Dataset } from '../data/index.js';
import { generatedCollection, generatedFile } from '../generate/index.js';
import { examplesKind } from './example.js';
import { labelledKind } from './labelled.js';

/** Queries that a model wrote, each answered by the documents it was written for (QGen, Ma et al. 2021). */
export const generatedKind = examplesKind({
  name: 'generated',
  description: 'queries that a model wrote, each with a document that it was written for (QGen)',
  options: {
    file: text('a path').describe(
      'stage:NAME of a stage that generates or filters, or a file that `nearmiss generate` wrote',
    ),
  },
  trainingQueries: true,
  async ownQueries({ file }, { dataset, split, heldOut, locate }) {
    const path = await generatedFile(await locate(file));
    const made = await generatedCollection(dataset, path, { split, heldOut });
    if (made.queries < 2) {
      throw new NearmissError(
        `${path}: examples: generated needs two different queries or more, got ${made.queries}`,
        { hint: 'generate more queries for each document, or for more documents' },
      );
    }
    await requireDocuments(made.documents, dataset, path);
    return { dataset: made.dataset, fingerprint: await contentOf(path, [split, heldOut ?? '']) };
  },
  open: labelledKind.open,
});

async function requireDocuments(wanted: ReadonlySet<string>, dataset: Dataset, path: string): Promise<void> {
  const missing = new Set(wanted);
  for await (const { id } of dataset.documents()) missing.delete(id);
  for (const id of missing) {
    throw new NearmissError(`${path}: document ${JSON.stringify(id)} is not in ${dataset.name}`, {
      hint: 'generate queries for this collection, or name the one that they were written for',
    });
  }
}

async function contentOf(path: string, more: readonly string[]): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(more));
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
