import { NearmissError } from '../base/errors.js';
import type { Dataset, Document } from '../data/index.js';
import { type GeneratedQueries, readGenerated } from './generated-file.js';

/** The passages of each document with their queries, in the order in which they were written. */
export async function passagesByDocument(
  path: string,
  count = Number.POSITIVE_INFINITY,
): Promise<Map<string, GeneratedQueries[]>> {
  const passages = new Map<string, GeneratedQueries[]>();
  for await (const { id, passage, queries } of readGenerated(path)) {
    const used = { id, passage, queries: queries.slice(0, count) };
    const own = passages.get(id);
    if (own) own.push(used);
    else passages.set(id, [used]);
  }
  if (passages.size === 0) {
    throw new NearmissError(`${path}: no queries`, {
      hint: 'write some: nearmiss generate DATA --generator … --out FILE',
    });
  }
  return passages;
}

/** The queries of each document; those of its passages one after another. */
export async function queriesByDocument(path: string, count?: number): Promise<Map<string, string[]>> {
  const passages = await passagesByDocument(path, count);
  return new Map([...passages].map(([id, own]) => [id, own.flatMap(({ queries }) => queries)]));
}

/**
 * A collection whose documents have queries behind their texts (doc2query, Nogueira et al. 2019): an index of words then
 * finds them by words that they do not have, and counts those again that people will ask with.
 */
export function expandDataset(
  dataset: Dataset,
  queries: ReadonlyMap<string, readonly string[]>,
  onExpanded: (document: Document, added: readonly string[]) => void = () => undefined,
): Dataset {
  const known = new Set<string>();
  async function* documents(): AsyncGenerator<Document> {
    for await (const document of dataset.documents()) {
      const added = queries.get(document.id) ?? [];
      known.add(document.id);
      onExpanded(document, added);
      yield added.length === 0 ? document : { ...document, text: [document.text, ...added].join('\n') };
    }
    for (const id of queries.keys()) {
      if (known.has(id)) continue;
      throw new NearmissError(
        `${dataset.name}: has no document ${JSON.stringify(id)}, for which there are queries`,
        {
          hint: 'the queries were written for another collection',
        },
      );
    }
  }
  const { name } = dataset;
  return {
    name,
    documents,
    queries: (split) => dataset.queries(split),
    splits: () => dataset.splits(),
    qrels: (split) => dataset.qrels(split),
  };
}
