import { createHash } from 'node:crypto';
import { closingOnFailure } from '../base/closing.js';
import { NearmissError } from '../base/errors.js';
import { detach } from '../base/lines.js';
import { type Dataset, fullText, type Qrels, type Query } from '../data/dataset.js';
import { IdTable } from '../data/id-table.js';
import { Positives } from './positives.js';
import { textFingerprint } from './text-fingerprint.js';
import { TextStore } from './text-store.js';

export interface LoadMiningDataOptions {
  /** The split to train on. */
  split: string;
  /** Also keep the documents' texts, in a temporary file: for answers, samples and other formats. */
  texts?: boolean;
  /** Called after each document. */
  onDocument?: () => void;
}

/** A collection as mining needs it: numbers, positives and what rules want to know. */
export interface MiningData {
  queryIds: IdTable;
  /** The training queries, by number. */
  queries: Query[];
  documents: IdTable;
  positives: Positives;
  /** For the rule against duplicates. */
  fingerprintOf: (document: number) => number;
  texts?: TextStore;
  /** Stands for what the numbers of documents and queries mean. */
  dataFingerprint: string;
  close(): Promise<void>;
}

/** Reads a collection once: ids and a number for each text stay in memory, texts go to a file if wanted. */
export async function loadMiningData(
  dataset: Dataset,
  { split, texts: keepTexts, onDocument }: LoadMiningDataOptions,
): Promise<MiningData> {
  const qrels = await dataset.qrels(split);
  const queries = await trainingQueries(dataset, split, qrels);
  const queryIds = new IdTable();
  for (const { id } of queries) queryIds.add(id);
  const documents = new IdTable();
  const fingerprints: number[] = [];
  const readTexts = async function* (): AsyncGenerator<string> {
    for await (const document of dataset.documents()) {
      documents.add(document.id);
      const text = fullText(document);
      fingerprints.push(textFingerprint(text));
      onDocument?.();
      yield text;
    }
  };
  return closingOnFailure(async (closing) => {
    const texts = keepTexts ? await closing.add(TextStore.create(readTexts())) : await drain(readTexts());
    return {
      queryIds,
      queries,
      documents,
      positives: Positives.fromQrels(qrels, { queries: queryIds, documents }),
      fingerprintOf: (document) => fingerprints[document],
      texts,
      dataFingerprint: fingerprintIds(documents, queryIds),
      close: () => closing.close(),
    };
  });
}

/** Queries with something relevant, in the order of the judgments, which is the order training numbers them in. */
async function trainingQueries(dataset: Dataset, split: string, qrels: Qrels): Promise<Query[]> {
  const byId = new Map<string, Query>();
  for await (const query of dataset.queries(split)) {
    byId.set(query.id, { ...query, text: detach(query.text) });
  }
  const queries = [...qrels]
    .filter(([, judged]) => [...judged.values()].some((grade) => grade > 0))
    .map(([id]) => byId.get(id))
    .filter((query) => query !== undefined);
  if (queries.length > 0) return queries;
  throw new NearmissError(`${dataset.name}: no query of split "${split}" has a relevant document`, {
    hint: `mining needs queries with a judgment above 0; splits: ${(await dataset.splits()).join(', ')}`,
  });
}

/** A hash of the ids of documents and queries in the order of their numbers. */
export function fingerprintIds(documents: IdTable, queries: IdTable): string {
  const hash = createHash('sha256');
  for (const ids of [documents, queries]) {
    hash.update(`${ids.size}\n`);
    for (let number = 0; number < ids.size; number++) hash.update(`${ids.idAt(number)}\n`);
  }
  return hash.digest('hex');
}

async function drain(texts: AsyncIterable<string>): Promise<undefined> {
  for await (const _ of texts);
}
