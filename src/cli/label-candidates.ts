import { stat } from 'node:fs/promises';
import { hasCode, NearmissError } from '../base/errors.js';
import type { Ranking, Run } from '../evaluate/index.js';
import { readRun } from '../evaluate/read-run.js';
import type { FleetPlace } from '../fleet/index.js';
import type { Precision } from '../model/precision/precision.js';
import {
  CandidateTable,
  listsFromRun,
  listsFromTable,
  type MiningData,
  type RankedList,
} from '../negatives/index.js';
import { bestModel } from '../run/best-model.js';
import { label, type Normalization, PairScorers, type ScoringProgress } from '../teacher/index.js';

export interface LabelCandidatesOptions {
  models: readonly string[];
  normalize: Normalization;
  candidates: string;
  depth: number;
  threads?: number;
  /** In which numbers models multiply. Default fp32. */
  precision?: Precision;
  /** Scores on the workers of a queue. */
  fleet?: FleetPlace;
  /** Told how many pairs were done, all tokens so far, and how many pairs there are. */
  onProgress?: (progress: ScoringProgress, total: number) => void;
}

export interface Labelled {
  run: Run;
  /** Pairs in the run. */
  pairs: number;
  /** Scores that were not known before, of all models together, and the tokens read for them. */
  computed: number;
  tokens: number;
}

/** Scores a collection's positives and candidates with cross-encoders. */
export async function labelCandidates(data: MiningData, options: LabelCandidatesOptions): Promise<Labelled> {
  const { models, normalize, depth, threads, precision, fleet, onProgress } = options;
  const lists = [...(await listsOf(options.candidates, data))];
  const pairs = lists.reduce((sum, { query, ids }) => {
    const relevant = data.positives.of(query);
    const others = ids.reduce((found, id) => found + (relevant.includes(id) ? 0 : 1), 0);
    return sum + relevant.length + Math.min(depth, others);
  }, 0);
  let tokens = 0;
  let computed = 0;
  const folders = await Promise.all(models.map(bestModel));
  const teachers = await PairScorers.open(folders, { session: { threads, precision }, fleet });
  try {
    const rankings = new Map<string, Ranking>();
    for await (const { query, documents, scores } of label({
      scorers: teachers.scorers,
      normalize,
      lists,
      depth,
      positives: data.positives.of,
      queryText: (number) => data.queries[number].text,
      documentText: data.texts!.get,
      onChunk(done) {
        tokens += done.tokens;
        computed += done.computed;
        onProgress?.({ ...done, tokens }, pairs * models.length);
      },
    })) {
      rankings.set(data.queryIds.idAt(query), {
        ids: documents.map((document) => data.documents.idAt(document)),
        scores: Float64Array.from(scores),
      });
    }
    return { run: { tag: 'teacher', rankings }, pairs, computed, tokens };
  } finally {
    await teachers.close();
  }
}

async function listsOf(path: string, data: MiningData): Promise<Iterable<RankedList>> {
  const info = await stat(path).catch((error) => {
    if (!hasCode(error, 'ENOENT')) throw error;
    throw new NearmissError(`${path}: no such file or folder of candidates`, {
      hint: 'make it with `nearmiss mine DATA --out FOLDER`, or search the training queries with --run FILE',
    });
  });
  if (!info.isDirectory()) {
    return listsFromRun(await readRun(path), { queries: data.queryIds, documents: data.documents });
  }
  const { dataFingerprint, queries } = data;
  return listsFromTable(await CandidateTable.load(path, { dataFingerprint, queryCount: queries.length }));
}
