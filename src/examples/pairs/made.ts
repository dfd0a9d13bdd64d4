import { NearmissError } from '../../base/errors.js';
import type { Dataset } from '../../data/index.js';
import { TextStore } from '../../negatives/text-store.js';
import { examplesKind } from '../example.js';
import { numberSources } from './number-sources.js';

/** Where queries of a collection that pair makers wrote say what to learn from in their document's place. */
export const POSITIVE_FIELD = 'positive';

/**
 * Queries that pair makers made and that were kept as a collection (`nearmiss adapt` does), so that negatives can be mined for
 * them. Each comes with the text that its maker left: without what became the query. Passages of the same file or article are
 * never negatives of each other.
 */
export const madeKind = examplesKind({
  name: 'made',
  description:
    'queries that pair makers made and kept as a training split, each with the text that was left for it',
  options: {},
  trainingQueries: true,
  async open(_, { dataset, training, documentCount, tokenize }) {
    const store = await TextStore.create(positiveTexts(dataset, training));
    const relatives = relativesOf(await numberSources(dataset, documentCount));
    // A query of one document has its file's list itself: long files are not copied for each of their queries.
    const relevant = training.map(({ positives }) =>
      positives.length === 1
        ? relatives(positives[0])
        : Int32Array.from(new Set([...positives].flatMap((document) => [...relatives(document)]))).sort(),
    );
    return {
      count: training.length,
      async at(example, random) {
        const { query, positives } = training[example];
        const text = store.get(example);
        if (text === '') return { query, positive: positives[random.integer(positives.length)] };
        const [positive] = await tokenize([text], 'document');
        return { query, positive };
      },
      relevant: (example) => relevant[example],
      grades: (example) => new Float32Array(relevant[example].length).fill(1),
      close: () => store.close(),
    };
  },
});

/** For each training query what stands in its document's place; empty where the document does. */
async function* positiveTexts(
  dataset: Dataset,
  training: readonly { query: number }[],
): AsyncGenerator<string> {
  const kept = new Map<number, string>();
  let number = 0;
  for await (const { id, metadata } of dataset.queries()) {
    const positive = metadata?.[POSITIVE_FIELD];
    if (positive !== undefined && typeof positive !== 'string') {
      throw new NearmissError(
        `${dataset.name}: query ${JSON.stringify(id)}: field "${POSITIVE_FIELD}": expected a text`,
        { hint: 'let nearmiss adapt make the collection anew' },
      );
    }
    if (positive !== undefined) kept.set(number, positive);
    number++;
  }
  for (const { query } of training) yield kept.get(query) ?? '';
}

/** The documents that were written as one with each document: one list for all of a file. */
function relativesOf(sources: Int32Array): (document: number) => Int32Array {
  const members = new Map<number, number[]>();
  sources.forEach((source, document) => {
    const known = members.get(source);
    if (known) known.push(document);
    else members.set(source, [document]);
  });
  const lists = new Map([...members].map(([source, documents]) => [source, Int32Array.from(documents)]));
  return (document) => lists.get(sources[document])!;
}
