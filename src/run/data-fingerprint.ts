import { createHash } from 'node:crypto';
import { NearmissError } from '../base/errors.js';
import { count } from '../base/progress.js';
import { type Dataset, documentTexts, fingerprintTexts, queryTexts, type TextSource } from '../data/index.js';

/** How many there are, and a hash of what they say, in their order. */
export interface PartFingerprint {
  count: number;
  sha256: string;
}

/** Stands for everything that a run takes from its collection. */
export interface DataFingerprint {
  documents: PartFingerprint;
  queries: PartFingerprint;
  /** By split: the one that is learned from and the one that is measured on. */
  judgments: Record<string, PartFingerprint>;
}

/** Reads the collection through once, one text at a time. */
export async function fingerprintData(dataset: Dataset, splits: readonly string[]): Promise<DataFingerprint> {
  const judgments: DataFingerprint['judgments'] = {};
  const known = await dataset.splits();
  for (const split of splits) {
    if (known.includes(split)) judgments[split] = await fingerprintJudgments(dataset, split);
  }
  return {
    documents: await fingerprintCounted(documentTexts(dataset)),
    queries: await fingerprintCounted(queryTexts(dataset)),
    judgments,
  };
}

/** Refuses a collection that is not the one a run began with: numbers of documents and queries would mean others. */
export function checkSameData(
  where: { run: string; data: string },
  expected: DataFingerprint,
  got: DataFingerprint,
): void {
  const parts: [string, PartFingerprint, PartFingerprint | undefined][] = [
    ['documents', expected.documents, got.documents],
    ['queries', expected.queries, got.queries],
    ...Object.entries(expected.judgments).map(
      ([split, part]): [string, PartFingerprint, PartFingerprint | undefined] => [
        `judgments of split "${split}"`,
        part,
        got.judgments[split],
      ],
    ),
  ];
  const changed = parts.filter(([, before, now]) => before.sha256 !== now?.sha256);
  if (changed.length === 0) return;
  const lines = changed.map(([name, before, now]) => `${name}: expected ${show(before)}, got ${show(now)}`);
  throw new NearmissError(
    `${where.data}: the collection has changed since the run ${where.run} began:\n${lines.join('\n')}`,
    { hint: 'restore the collection as it was, or start another run with --out' },
  );
}

async function fingerprintCounted(source: TextSource): Promise<PartFingerprint> {
  let texts = 0;
  const sha256 = await fingerprintTexts({
    ...source,
    async *records() {
      for await (const record of source.records()) {
        texts++;
        yield record;
      }
    },
  });
  return { count: texts, sha256 };
}

async function fingerprintJudgments(dataset: Dataset, split: string): Promise<PartFingerprint> {
  const hash = createHash('sha256');
  let judgments = 0;
  for (const [query, judged] of await dataset.qrels(split)) {
    hash.update(JSON.stringify([query, ...judged]));
    judgments += judged.size;
  }
  return { count: judgments, sha256: hash.digest('hex') };
}

function show(part: PartFingerprint | undefined): string {
  return part ? `${count(part.count)} (sha256 ${part.sha256.slice(0, 12)}…)` : 'nothing';
}
