import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { NearmissError } from '../../base/errors.js';
import { exists } from '../../base/files.js';
import { type Dataset, openDataset, type Qrels, ResplitDataset, writeBeir } from '../../data/index.js';
import { Random } from '../../engine/index.js';

export interface LabelSplitsOptions {
  /** Folder that the collection's is made in. */
  out: string;
  /** Split that labels are taken from. */
  split: string;
  /** How many labels; those that the split does not have are left out. */
  counts: readonly number[];
  seed: number;
}

export interface LabelSplits {
  data: string;
  counts: number[];
}

const DEV = 'dev';
/** Queries to measure checkpoints with, where the collection has no dev split. */
const MOST_DEV = 300;

/** The split with so many labels; each has those of the smaller ones, too. */
export function labelSplit(count: number): string {
  return `labels-${count}`;
}

/**
 * Writes a collection once, with splits of so and so many labels. Where it has no dev split, a fifth of the labels becomes
 * one, so that none of them is learned from.
 */
export async function writeLabelSplits(path: string, options: LabelSplitsOptions): Promise<LabelSplits> {
  const { out, split, seed } = options;
  const base = await openDataset(path);
  const [dev, labelled] = await divide(base, split, seed);
  const counts = options.counts.filter((count) => count <= labelled.size);
  if (counts.length === 0) {
    throw new NearmissError(
      `${path}: split ${split} has ${labelled.size} queries to learn from, and ${Math.min(...options.counts)} or more were asked for`,
      { hint: 'ask for fewer with --labels' },
    );
  }
  const key = JSON.stringify([path, split, counts, seed]);
  const data = join(out, `data-${createHash('sha256').update(key).digest('hex').slice(0, 8)}`);
  if (await exists(data)) return { data, counts };
  const splits = new Map(counts.map((count) => [labelSplit(count), first(labelled, count)]));
  if (dev) splits.set(DEV, dev);
  await writeBeir(new ResplitDataset(base, { splits, divided: [split] }), data);
  return { data, counts };
}

async function divide(
  base: Dataset,
  split: string,
  seed: number,
): Promise<[dev: Qrels | undefined, rest: Qrels]> {
  const names = await base.splits();
  if (!names.includes(split)) {
    throw new NearmissError(`${base.name}: no split "${split}" to take labels from`, {
      hint: `there are ${names.join(', ') || 'none'}; name another with --split`,
    });
  }
  const judged = [...(await base.qrels(split))];
  const order = Random.from(seed, 'labels').shuffle(Int32Array.from(judged.keys()));
  const shuffled: Qrels = new Map(Array.from(order, (nth) => judged[nth]));
  if (names.includes(DEV)) return [undefined, shuffled];
  const size = Math.min(MOST_DEV, Math.floor(shuffled.size / 5));
  return [first(shuffled, size), new Map([...shuffled].slice(size))];
}

function first(qrels: Qrels, count: number): Qrels {
  return new Map([...qrels].slice(0, count));
}
