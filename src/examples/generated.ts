import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { NearmissError } from '../base/errors.js';
import { text } from '../base/settings.js';
import type { Dataset } from '../data/index.js';
import { answersOfGenerated, GENERATED_FILE } from '../generate/index.js';
import { TextStore } from '../negatives/text-store.js';
import { examplesKind } from './example.js';

/** Queries that a model wrote, each answered by the documents it was written for (QGen, Ma et al. 2021). */
export const generatedKind = examplesKind({
  name: 'generated',
  description: 'queries that a model wrote, each with a document that it was written for (QGen)',
  options: {
    file: text('a path').describe(
      'stage:NAME of a stage that generates, or a file that `nearmiss generate` wrote',
    ),
  },
  async open({ file }, { dataset, locate, tokenize }) {
    const path = await generatedFile(await locate(file));
    const answers = await answersOfGenerated(path);
    if (answers.size < 2) {
      throw new NearmissError(
        `${path}: examples: generated needs two different queries or more, got ${answers.size}`,
        { hint: 'generate more queries for each document, or for more documents' },
      );
    }
    const relevant = await numbersOf(answers, dataset, path);
    const queries = async function* (): AsyncGenerator<string> {
      yield* answers.keys();
    };
    const store = await TextStore.create(queries());
    return {
      count: relevant.length,
      async at(example, random) {
        const [query] = await tokenize([store.get(example)], 'query');
        const documents = relevant[example];
        return { query, positive: documents[random.integer(documents.length)] };
      },
      relevant: (example) => relevant[example],
      grades: (example) => new Float32Array(relevant[example].length).fill(1),
      close: () => store.close(),
    };
  },
});

/** A stage's folder stands for the file in it. */
async function generatedFile(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ? join(path, GENERATED_FILE) : path;
}

/** The numbers of each query's documents, ascending. */
async function numbersOf(
  answers: ReadonlyMap<string, ReadonlySet<string>>,
  dataset: Dataset,
  path: string,
): Promise<Int32Array[]> {
  const numbers = new Map<string, number>();
  for await (const { id } of dataset.documents()) numbers.set(id, numbers.size);
  return Array.from(answers.values(), (ids) =>
    Int32Array.from(ids, (id) => {
      const number = numbers.get(id);
      if (number !== undefined) return number;
      throw new NearmissError(`${path}: document ${JSON.stringify(id)} is not in ${dataset.name}`, {
        hint: 'generate queries for this collection, or name the one that they were written for',
      });
    }).sort(),
  );
}
