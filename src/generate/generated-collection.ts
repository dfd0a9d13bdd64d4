import type { Dataset, Qrels, Query } from '../data/index.js';
import { Random } from '../engine/random.js';
import { readGenerated } from './generated-file.js';

const TRAIN = 'train';

/** The share of the documents whose queries are held out, and the most queries. */
const HELD_OUT_SHARE = 0.1;
const MOST_HELD_OUT = 500;
/** Always the same, so that all runs measure on the same queries, whatever their own seed. */
const SEED = 42;

/** Whether a generated query is used. */
export type Accepts = (document: string, query: string) => boolean;

/** The documents that each query of a file was written for. */
export async function answersOfGenerated(
  path: string,
  accepts: Accepts = () => true,
): Promise<Map<string, Set<string>>> {
  const documentsOf = new Map<string, Set<string>>();
  for await (const { id, queries } of readGenerated(path)) {
    for (const query of queries) {
      if (!accepts(id, query)) continue;
      const documents = documentsOf.get(query);
      if (documents) documents.add(id);
      else documentsOf.set(query, new Set([id]));
    }
  }
  return documentsOf;
}

export interface GeneratedCollectionOptions {
  accepts?: Accepts;
  /** The split that has the queries. Default `train`. */
  split?: string;
  /** A split that gets the queries of some documents, to measure on; the others are not learned from it. */
  heldOut?: string;
}

export interface GeneratedCollection {
  dataset: Dataset;
  queries: number;
  judgments: number;
  /** The documents that queries were written for. */
  documents: Set<string>;
}

/**
 * A collection whose training queries are generated ones, each answered by the document it was written for (QGen, Ma et
 * al. 2021); the other splits stay as they are, to measure on. A query that was written for several documents is one query
 * with several answers.
 */
export async function generatedCollection(
  dataset: Dataset,
  path: string,
  { accepts, split: train = TRAIN, heldOut }: GeneratedCollectionOptions = {},
): Promise<GeneratedCollection> {
  const answers = await answersOfGenerated(path, accepts);
  const documents = new Set([...answers.values()].flatMap((ids) => [...ids]));
  const own = divided(answers, documents, { train, heldOut });
  const kept = (await dataset.splits()).filter((split) => !own.has(split));
  const judgments = [...answers.values()].reduce((sum, ids) => sum + ids.size, 0);
  return {
    queries: answers.size,
    judgments,
    documents,
    dataset: {
      name: dataset.name,
      documents: () => dataset.documents(),
      async *queries(split) {
        for (const [name, { queries }] of own) if (split === undefined || split === name) yield* queries;
        if (split !== undefined) {
          if (!own.has(split)) yield* dataset.queries(split);
          return;
        }
        const seen = new Set<string>();
        for (const other of kept) {
          for await (const query of dataset.queries(other)) {
            if (seen.has(query.id)) continue;
            seen.add(query.id);
            yield query;
          }
        }
      },
      splits: async () => [...own.keys(), ...kept],
      qrels: async (split) => own.get(split)?.qrels ?? dataset.qrels(split),
    },
  };
}

interface OwnSplit {
  queries: Query[];
  qrels: Qrels;
}

/** The queries to learn from and those to measure on; of one that has answers on both sides neither knows. */
function divided(
  answers: ReadonlyMap<string, ReadonlySet<string>>,
  documents: ReadonlySet<string>,
  { train, heldOut }: { train: string; heldOut?: string },
): Map<string, OwnSplit> {
  const empty = (): OwnSplit => ({ queries: [], qrels: new Map() });
  const own = new Map([[train, empty()], ...(heldOut === undefined ? [] : [[heldOut, empty()] as const])]);
  const held = heldOut === undefined ? new Set<string>() : heldOutOf(documents);
  let nth = 0;
  for (const [text, ids] of answers) {
    const id = `generated-${nth++}`;
    const apart = [...ids].filter((document) => held.has(document)).length;
    if (apart > 0 && apart < ids.size) continue;
    const { queries, qrels } = own.get(apart > 0 ? heldOut! : train)!;
    if (apart > 0 && queries.length === MOST_HELD_OUT) continue;
    queries.push({ id, text });
    qrels.set(id, new Map([...ids].map((document) => [document, 1])));
  }
  return own;
}

/** Some of the documents, at least one and never all where there are two. */
function heldOutOf(documents: ReadonlySet<string>): Set<string> {
  const all = [...documents];
  const chosen = all.filter((_, i) => Random.from(SEED, 'held-out', i).uniform() < HELD_OUT_SHARE);
  return new Set(chosen.length > 0 ? chosen : all.slice(1, 2));
}
