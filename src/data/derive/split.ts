import { NearmissError } from '../../base/errors.js';
import { Random } from '../../engine/random.js';
import { contentId } from '../content-id.js';
import type { Dataset, Qrels } from '../dataset.js';
import { type SplitOverlap, splitOverlaps } from '../stats.js';
import { UnionFind } from './union-find.js';

/**
 * What must not be shared by two splits. `query`: a query (nor another one with the same words). `document`: also a
 * relevant document, so that no answer of the test was seen in training. `group`: also a value of a metadata field
 * of the query or of its relevant documents, e.g. the article that they are taken from.
 */
export type SplitBy = 'query' | 'document' | 'group';

export interface SplitOptions {
  by: SplitBy;
  /** The share of the queries that each split gets, e.g. `{ train: 0.8, dev: 0.1, test: 0.1 }`. */
  ratios: Record<string, number>;
  seed: number;
  /** The splits whose judgments are divided anew. Default: all. */
  from?: string[];
  /** The metadata field of `by: 'group'`; `title` is a document's title. */
  groupField?: string;
}

export interface SplitResult {
  splits: Map<string, Qrels>;
  /** How many parts that may not be torn apart there are, and how many queries the largest has. */
  parts: number;
  largestPart: number;
  overlaps: SplitOverlap[];
}

/**
 * Divides the judged queries of a collection, by chance but without leaks: what must stay together (see
 * {@link SplitBy}) is joined first, and the joined parts are dealt out, the largest first.
 *
 * @example
 * const { splits } = await splitDataset(dataset, { by: 'document', ratios: { train: 0.9, test: 0.1 }, seed: 1 });
 */
export async function splitDataset(dataset: Dataset, options: SplitOptions): Promise<SplitResult> {
  const ratios = checkRatios(options.ratios);
  const pooled = await poolQrels(dataset, options.from ?? (await dataset.splits()));
  const bonds = new UnionFind();
  await joinEqualTexts(dataset, pooled, bonds);
  if (options.by !== 'query') joinByDocument(pooled, bonds);
  if (options.by === 'group') await joinByGroup(dataset, pooled, bonds, options.groupField);
  const parts = gatherParts(pooled, bonds, options.seed);
  const splits = deal(parts, ratios, pooled);
  return {
    splits,
    parts: parts.length,
    largestPart: parts.reduce((most, part) => Math.max(most, part.length), 0),
    overlaps: splitOverlaps(splits),
  };
}

function checkRatios(ratios: Record<string, number>): [split: string, share: number][] {
  const entries = Object.entries(ratios);
  const total = entries.reduce((sum, [, ratio]) => sum + ratio, 0);
  if (entries.length < 2 || entries.some(([, ratio]) => !(ratio > 0 && Number.isFinite(ratio)))) {
    throw new NearmissError('ratios: expected two splits or more, each with a share above 0', {
      hint: 'for example: --ratios train=0.8,dev=0.1,test=0.1',
    });
  }
  return entries.map(([split, ratio]) => [split, ratio / total]);
}

async function poolQrels(dataset: Dataset, splits: string[]): Promise<Qrels> {
  const pooled: Qrels = new Map();
  for (const split of splits) {
    for (const [queryId, judged] of await dataset.qrels(split)) {
      const known = pooled.get(queryId) ?? new Map<string, number>();
      for (const [documentId, grade] of judged) {
        const before = known.get(documentId);
        if (before !== undefined && before !== grade) throw contradiction(queryId, documentId, before, grade);
        known.set(documentId, grade);
      }
      pooled.set(queryId, known);
    }
  }
  if (pooled.size === 0) {
    throw new NearmissError(`${dataset.name}: there are no judgments to divide`, {
      hint: 'import qrels first',
    });
  }
  return pooled;
}

async function joinEqualTexts(dataset: Dataset, pooled: Qrels, bonds: UnionFind): Promise<void> {
  for await (const { id, text } of dataset.queries()) {
    const words = text.normalize('NFKC').toLowerCase().split(/\s+/).join(' ').trim();
    if (pooled.has(id) && words !== '') bonds.join(`query ${id}`, `text ${contentId('query', words)}`);
  }
}

function joinByDocument(pooled: Qrels, bonds: UnionFind): void {
  for (const [queryId, judged] of pooled) {
    for (const [documentId, grade] of judged) {
      if (grade > 0) bonds.join(`query ${queryId}`, `document ${documentId}`);
    }
  }
}

async function joinByGroup(
  dataset: Dataset,
  pooled: Qrels,
  bonds: UnionFind,
  field: string | undefined,
): Promise<void> {
  if (!field) throw new NearmissError('by group: no field named', { hint: 'add --group-field NAME' });
  const relevant = new Set<string>();
  for (const judged of pooled.values()) {
    for (const [documentId, grade] of judged) if (grade > 0) relevant.add(documentId);
  }
  let found = 0;
  const joinTo = (name: string, value: unknown): void => {
    if (value === undefined || value === null || value === '') return;
    found++;
    bonds.join(name, `group ${JSON.stringify(value)}`);
  };
  for await (const { id, metadata } of dataset.queries()) {
    if (pooled.has(id)) joinTo(`query ${id}`, ownValue(metadata, field));
  }
  for await (const { id, title, metadata } of dataset.documents()) {
    if (relevant.has(id))
      joinTo(`document ${id}`, ownValue(metadata, field) ?? (field === 'title' ? title : undefined));
  }
  if (found === 0) {
    throw new NearmissError(
      `${dataset.name}: no query and no relevant document has the metadata field "${field}"`,
      {
        hint: 'check the name in corpus.jsonl or queries.jsonl',
      },
    );
  }
}

/** The queries of each part, in random order, larger parts first so that the small ones can even out the rest. */
function gatherParts(pooled: Qrels, bonds: UnionFind, seed: number): string[][] {
  const parts = new Map<number, string[]>();
  for (const queryId of pooled.keys()) {
    const group = bonds.groupOf(`query ${queryId}`);
    const part = parts.get(group);
    if (part) part.push(queryId);
    else parts.set(group, [queryId]);
  }
  return Random.from(seed, 'split')
    .shuffle([...parts.values()])
    .sort((a, b) => b.length - a.length);
}

/** Gives each part to the split that lacks most. */
function deal(
  parts: string[][],
  ratios: [split: string, share: number][],
  pooled: Qrels,
): Map<string, Qrels> {
  const lacking = ratios.map(([, share]) => share * pooled.size);
  const splits = new Map<string, Qrels>(ratios.map(([split]) => [split, new Map()]));
  for (const part of parts) {
    const chosen = lacking.indexOf(Math.max(...lacking));
    lacking[chosen] -= part.length;
    const qrels = splits.get(ratios[chosen][0])!;
    for (const queryId of part) qrels.set(queryId, pooled.get(queryId)!);
  }
  return splits;
}

function contradiction(query: string, document: string, a: number, b: number): NearmissError {
  return new NearmissError(
    `query "${query}", document "${document}": judged ${a} in one split and ${b} in another`,
    {
      hint: 'name the splits to divide with --from',
    },
  );
}

function ownValue(metadata: Record<string, unknown> | undefined, field: string): unknown {
  return metadata && Object.hasOwn(metadata, field) ? metadata[field] : undefined;
}
