import type { TrainingExample } from '../../../data/dataset.js';
import { TextWriter } from '../../../data/writers/text-writer.js';
import { flagEmbeddingLine, tevatronLine } from '../../../data/writers/training-lines.js';
import { Random } from '../../../engine/random.js';
import { type CandidateTable, type MiningData, TableSource } from '../../../negatives/index.js';

export interface TrainingFileOptions {
  table: CandidateTable;
  data: MiningData;
  format: 'tevatron' | 'flagembedding';
  /** How many to draw for each query; all in the order of their ranks when left out. */
  negatives?: number;
  seed: number;
}

/** Writes a training example for each query that has negatives, compressed for `.gz`; returns how many. */
export async function writeTrainingFile(path: string, options: TrainingFileOptions): Promise<number> {
  const { table, data, format } = options;
  const draw = negativesOf(options);
  let written = 0;
  await TextWriter.write(path, async (writer) => {
    for (const [query, { id, text }] of data.queries.entries()) {
      if (table.counts[query] === 0) continue;
      const positives = Array.from(data.positives.of(query), (document) => ({
        id: data.documents.idAt(document),
      }));
      const example: TrainingExample = { queryId: id, positives, negatives: draw(query) };
      const line =
        format === 'tevatron'
          ? tevatronLine(example, text)
          : flagEmbeddingLine(example, {
              query: text,
              textOf: (documentId) => data.texts!.get(data.documents.indexOf(documentId)),
            });
      const full = writer.add(`${line}\n`);
      if (full) await full;
      written++;
    }
  });
  return written;
}

function negativesOf({ table, data, negatives, seed }: TrainingFileOptions) {
  const source = new TableSource({ table });
  return (query: number): TrainingExample['negatives'] => {
    const count = negatives ?? table.counts[query];
    const drawn = source.sample(query, Random.from(seed, 'negatives', query), count);
    if (negatives === undefined) drawn.sort((a, b) => a.rank! - b.rank!);
    return drawn.map(({ document, score }) => ({
      id: data.documents.idAt(document),
      ...(score !== undefined && { score }),
    }));
  };
}
