import { closingOnFailure } from '../base/closing.js';
import { NearmissError } from '../base/errors.js';
import {
  type Dataset,
  documentTexts,
  IdTable,
  openTokenCache,
  type Qrels,
  queryTexts,
  type TextSource,
  type TokenCache,
} from '../data/index.js';
import { numberSources, type OwnQueries } from '../examples/index.js';
import { prepareText, type TextReader, type TokenizedText } from '../model/index.js';
import { fingerprintIds, textFingerprint } from '../negatives/index.js';
import { documentSplit } from '../recipe/document-split.js';
import type { ModelRecipe } from '../recipe/recipe.js';
import { lengthOfPieces, type SplitTokensOptions, splitTokens } from '../text/split-tokens.js';
import { batchCount, type TokenBatch, tokensAt } from '../text/token-batch.js';
import { evaluationQueries } from './evaluation-queries.js';

/** Documents or queries as tokens, numbered from 0. */
export interface TokenizedCollection {
  readonly count: number;
  readonly cache: TokenCache;
  /** The texts to encode for some members; MaxP documents have several each. */
  texts(members: ArrayLike<number>): Promise<{ texts: TokenizedText[]; offsets: number[] }>;
}

/** A training query with the documents known to answer it. */
export interface TrainingQuery {
  /** Its number among all queries. */
  query: number;
  /** Numbers of documents, ascending. */
  positives: Int32Array;
  /** How relevant each of them is. */
  grades: Float32Array;
}

/** Queries to measure on. */
export interface EvaluationSet {
  queries: Int32Array;
  /** Only of those queries. */
  qrels: Qrels;
}

/** Everything a run learns from, tokenised once and kept on disk. */
export interface TrainingData {
  dataset: Dataset;
  documents: TokenizedCollection;
  queries: TokenizedCollection;
  training: TrainingQuery[];
  /** What a table of candidates for these queries and documents has to say of itself. */
  tables: { queryCount: number; dataFingerprint?: string };
  /** Tokens as the model reads them, for texts that are not of the collection. */
  tokenize(texts: readonly string[], use: 'query' | 'document'): Promise<TokenizedText[]>;
  /** See `textFingerprint`; the texts are read through when it is asked for first. */
  textFingerprints(): Promise<(document: number) => number>;
  /** The same number for all documents of a file, or with the same title; read through when it is asked for first. */
  sourceNumbers(): Promise<(document: number) => number>;
  /** The same documents with the queries of another collection, and what stands for these; close it by itself. */
  withQueries(queries: OwnQueries): Promise<TrainingData>;
  close(): Promise<void>;
}

export interface OpenTrainingDataOptions {
  dataset: Dataset;
  /** Split whose judgments are learned from. */
  split: string;
  reader: TextReader;
  /** Tokens kept of each text, or of each piece of a document. */
  lengths: { query: number; document: number };
  passages: ModelRecipe['passages'];
  /** Where token caches are kept. */
  directory: string;
  /** Hashes of all documents and queries, ids and texts. */
  fingerprints: { documents: string; queries: string };
  /** Whether the run's tables name the data they were mined on; in runs from before they did, none does. */
  marksTables: boolean;
  /** Whether the split may be missing, because nothing is learned from it. */
  mayLackLabels?: boolean;
  quiet?: boolean;
}

export function openTrainingData(options: OpenTrainingDataOptions): Promise<TrainingData> {
  return closingOnFailure(async (closing) => {
    const { dataset, reader, directory, quiet } = options;
    const documents = await closing.add(
      openTokenCache({
        source: prepared(documentTexts(dataset), reader, 'document'),
        // How the texts are prepared stands in the composition.
        fingerprint: options.fingerprints.documents,
        tokenizer: reader.tokenizer,
        maxLength: lengthOfPieces(splitOf(options)),
        directory,
        quiet,
      }),
    );
    const data = await closing.add(withDocuments(documents, options));
    return { ...data, close: () => closing.close() };
  });
}

function splitOf({ passages, lengths }: OpenTrainingDataOptions): SplitTokensOptions {
  return documentSplit({ passages, maxLength: lengths });
}

/** Queries, judgments and everything that is known of both, over documents that are there, and that others close. */
function withDocuments(documents: TokenCache, options: OpenTrainingDataOptions): Promise<TrainingData> {
  return closingOnFailure(async (closing) => {
    const { dataset, reader, lengths, directory, quiet } = options;
    const queries = await closing.add(
      openTokenCache({
        source: prepared(queryTexts(dataset), reader, 'query'),
        fingerprint: options.fingerprints.queries,
        tokenizer: reader.tokenizer,
        maxLength: lengths.query,
        directory,
        quiet,
      }),
    );
    const close = (): Promise<void> => closing.close();
    return { ...(await known(documents, queries, options)), close };
  });
}

async function known(
  documents: TokenCache,
  queries: TokenCache,
  options: OpenTrainingDataOptions,
): Promise<Omit<TrainingData, 'close'>> {
  const { dataset, reader, lengths } = options;
  const split = splitOf(options);
  const lacksLabels = options.mayLackLabels && !(await dataset.splits()).includes(options.split);
  const training = lacksLabels
    ? []
    : await trainingQueries(dataset, options.split, { documents, queries }, options.mayLackLabels);
  let textFingerprints: Promise<Float64Array> | undefined;
  let sourceNumbers: Promise<Int32Array> | undefined;
  return {
    dataset,
    documents: {
      count: documents.count,
      cache: documents,
      async texts(members) {
        const batch = await documents.batch(members);
        if (split.maxPieces === 1) return wholeTexts(batch);
        const pieceBatch = splitTokens(batch, split);
        return { texts: views(pieceBatch), offsets: Array.from(pieceBatch.pieceOffsets) };
      },
    },
    queries: {
      count: queries.count,
      cache: queries,
      texts: async (members) => wholeTexts(await queries.batch(members)),
    },
    training,
    tables: {
      queryCount: training.length,
      ...(options.marksTables && { dataFingerprint: fingerprintTraining(training, { documents, queries }) }),
    },
    async tokenize(texts, use) {
      const prepared = texts.map((text) => prepareText(reader, text, use));
      return views(await reader.tokenizer.encodeBatch(prepared, { maxLength: lengths[use] }));
    },
    async textFingerprints() {
      textFingerprints ??= fingerprintDocuments(dataset, documents.count);
      const known = await textFingerprints;
      return (document) => known[document];
    },
    async sourceNumbers() {
      sourceNumbers ??= numberSources(dataset, documents.count);
      const known = await sourceNumbers;
      return (document) => known[document];
    },
    withQueries: ({ dataset: other, fingerprint }) =>
      withDocuments(documents, {
        ...options,
        dataset: other,
        fingerprints: { ...options.fingerprints, queries: fingerprint },
        mayLackLabels: false,
      }),
  };
}

/** Queries of a split to measure on, at most `limit` of them, the same ones for the same seed. */
export async function evaluationSet(
  data: TrainingData,
  options: { split: string; limit: number; seed: number },
): Promise<EvaluationSet> {
  const { split, limit, seed } = options;
  const judged = await data.dataset.qrels(split);
  const cache = data.queries.cache;
  const known = [...judged.keys()].filter((id) => cache.indexOf(id) >= 0);
  if (known.length === 0) {
    throw new NearmissError(`${data.dataset.name}: no query of split "${split}" has a judgment and a text`, {
      hint: 'choose another split with --set evaluation.split=NAME; `nearmiss data stats` lists them',
    });
  }
  const ids = evaluationQueries(known, { split, limit, seed });
  return {
    queries: Int32Array.from(ids, (id) => cache.indexOf(id)),
    qrels: new Map(ids.map((id) => [id, judged.get(id)!])),
  };
}

async function trainingQueries(
  dataset: Dataset,
  split: string,
  { documents, queries }: { documents: TokenCache; queries: TokenCache },
  mayBeNone = false,
): Promise<TrainingQuery[]> {
  const splits = await dataset.splits();
  if (!splits.includes(split)) {
    throw new NearmissError(
      `${dataset.name}: no split "${split}" to train on, only ${splits.join(', ') || 'none'}`,
      {
        hint: 'make one with `nearmiss data split`, or name another with --split',
      },
    );
  }
  const training: TrainingQuery[] = [];
  for (const [queryId, judgments] of await dataset.qrels(split)) {
    const relevant = [...judgments].filter(([, grade]) => grade > 0);
    const query = queries.indexOf(queryId);
    if (relevant.length === 0) continue;
    if (query < 0) throw pointsNowhere(dataset, split, 'query', queryId);
    const graded = relevant.map(([id, grade]) => {
      const document = documents.indexOf(id);
      if (document < 0) throw pointsNowhere(dataset, split, 'document', id);
      return { document, grade };
    });
    graded.sort((a, b) => a.document - b.document);
    training.push({
      query,
      positives: Int32Array.from(graded, ({ document }) => document),
      grades: Float32Array.from(graded, ({ grade }) => grade),
    });
  }
  if (training.length === 0 && !mayBeNone) {
    throw new NearmissError(`${dataset.name}: no query of split "${split}" has a relevant document`, {
      hint: 'training needs queries with at least one judgment above 0',
    });
  }
  return training;
}

/** The same that `nearmiss mine` writes into its tables. */
function fingerprintTraining(
  training: readonly TrainingQuery[],
  { documents, queries }: { documents: TokenCache; queries: TokenCache },
): string {
  const ids = new IdTable();
  for (const { query } of training) ids.add(queries.id(query));
  return fingerprintIds(documents.idTable, ids);
}

/** Eight bytes a document. */
async function fingerprintDocuments(dataset: Dataset, count: number): Promise<Float64Array> {
  const fingerprints = new Float64Array(count);
  let document = 0;
  for await (const { text } of documentTexts(dataset).records()) {
    fingerprints[document++] = textFingerprint(text);
  }
  return fingerprints;
}

/** Number of a query → its place among the training queries. */
export function placesOf({ training }: Pick<TrainingData, 'training'>): Map<number, number> {
  return new Map(training.map(({ query }, place) => [query, place]));
}

function prepared(source: TextSource, reader: TextReader, use: string): TextSource {
  const prompt = reader.prompts[use];
  if (!prompt && !reader.lowercase) return source;
  return {
    composition: `${prompt ?? ''}${source.composition}${reader.lowercase ? ' lowercase' : ''}`,
    async *records() {
      for await (const { id, text } of source.records()) yield { id, text: prepareText(reader, text, use) };
    },
  };
}

function wholeTexts(batch: TokenBatch): { texts: TokenizedText[]; offsets: number[] } {
  const texts = views(batch);
  return { texts, offsets: Array.from({ length: texts.length + 1 }, (_, i) => i) };
}

function views(batch: TokenBatch): TokenizedText[] {
  return Array.from({ length: batchCount(batch) }, (_, i) => ({ ids: tokensAt(batch, i) }));
}

function pointsNowhere(dataset: Dataset, split: string, kind: string, id: string): NearmissError {
  return new NearmissError(
    `${dataset.name}: the judgments of split "${split}" name ${kind} "${id}", which does not exist`,
    {
      hint: 'run `nearmiss data validate` to see all of them',
    },
  );
}
