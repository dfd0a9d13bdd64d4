import { createHash } from 'node:crypto';
import { UsageError } from '../../base/errors.js';
import { type Dataset, type Document, openDataset } from '../../data/index.js';

/** A collection and documents of others behind it, which answer none of its queries. */
export interface GrownCorpus {
  own: Dataset;
  /** Documents of the collection itself. */
  ownCount: number;
  /** All there are, those of others included. */
  count: number;
  /** The first `size` documents, the collection's own first. */
  documents(size: number): AsyncGenerator<Document>;
  /** Tells this corpus from others. */
  fingerprint: string;
}

/** Opens a collection and those whose documents are put beside its own. */
export async function openGrownCorpus(data: string, distractors: readonly string[]): Promise<GrownCorpus> {
  const own = await openDataset(data);
  const others = await Promise.all(distractors.map((path) => openDataset(path)));
  const counts: number[] = [];
  const hash = createHash('sha256');
  for (const dataset of [own, ...others]) {
    let count = 0;
    for await (const { id } of dataset.documents()) {
      hash.update(`${id}\n`);
      count++;
    }
    counts.push(count);
    hash.update(`${count}\0`);
  }
  return {
    own,
    ownCount: counts[0],
    count: counts.reduce((sum, count) => sum + count, 0),
    async *documents(size) {
      let given = 0;
      for (const [i, dataset] of [own, ...others].entries()) {
        for await (const document of dataset.documents()) {
          if (given === size) return;
          given++;
          // Other collections may have the same ids.
          yield i === 0 ? document : { ...document, id: `${dataset.name}/${i}/${document.id}` };
        }
      }
    },
    fingerprint: hash.digest('hex').slice(0, 12),
  };
}

/** The sizes to search, ascending; by default the collection alone and everything. */
export function corpusSizes(
  corpus: Pick<GrownCorpus, 'ownCount' | 'count'>,
  wanted?: readonly number[],
): number[] {
  const sizes = wanted ?? [corpus.ownCount, corpus.count];
  for (const size of sizes) {
    if (size >= corpus.ownCount && size <= corpus.count) continue;
    throw new UsageError(
      `--sizes: expected from ${corpus.ownCount} documents, the collection's own, to ${corpus.count}, got ${size}`,
      { hint: size > corpus.count ? 'name more collections with --distractors' : 'leave smaller ones out' },
    );
  }
  return [...new Set(sizes)].sort((a, b) => a - b);
}
