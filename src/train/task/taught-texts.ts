import { documentTexts } from '../../data/index.js';
import { TextStore } from '../../negatives/index.js';
import type { TrainingData } from '../../run/training-data.js';
import type { TaughtTexts } from '../../teacher/index.js';

/** The texts of a collection by number, for teachers that read them; documents wait in a temporary file. */
export async function openTaughtTexts({ dataset, queries }: TrainingData): Promise<TaughtTexts> {
  const queryTexts = new Map<number, string>();
  for await (const { id, text } of dataset.queries()) queryTexts.set(queries.cache.indexOf(id), text);
  const documents = await TextStore.create(textsOf(documentTexts(dataset).records()));
  return {
    query: (number) => queryTexts.get(number)!,
    document: documents.get,
    close: () => documents.close(),
  };
}

async function* textsOf(records: AsyncIterable<{ text: string }>): AsyncGenerator<string> {
  for await (const { text } of records) yield text;
}
