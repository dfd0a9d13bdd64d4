import { exists } from '../../base/files.js';
import type { SessionOptions } from '../../engine/index.js';
import type { Ranking, Run } from '../../evaluate/index.js';
import { openDocumentIndex } from '../../index/vectors/index.js';
import { removeAndRepeat } from '../../index/vectors/index-folder.js';
import { loadSide } from '../../model/folder/tower-folders.js';
import { Encoder } from '../../model/index.js';
import { ExactCorpus } from '../../run/exact-corpus.js';
import { modelFolder } from '../../run/model-folder.js';
import type { RunDirectory } from '../../run/run-directory.js';
import type { TrainingData } from '../../run/training-data.js';
import { fuseRuns } from '../../search/fusion/index.js';
import { openSearcher } from '../../search/open/open-searcher.js';
import { modelRankings, type RankingModel, sparseRankings } from '../corpus/rankings.js';
import type { StudyProgress } from '../study-progress.js';
import type { QualitySystemName } from './quality.js';

export interface SearchSystemsOptions {
  run: RunDirectory;
  step: number;
  data: TrainingData;
  queries: Int32Array;
  /** The queries' texts by id. */
  texts: ReadonlyMap<string, string>;
  /** Where it is. */
  collection: string;
  /** The model as published, where the run began with a part of it. */
  base: string | undefined;
  session: SessionOptions;
  /** Encodes the collection with the base model and with the start even where that takes long. */
  start?: boolean;
  onProgress?: (progress: StudyProgress) => void;
}

/** How deep each system is searched. */
const DEPTH = 100;

/** Up to so many documents vectors of the base model and of the start are made unasked. */
const FEW_DOCUMENTS = 5000;

/** Queries searched between two signs of progress. */
const CHUNK = 256;

/** What each system finds. The hybrid fuses by ranks, which needs no weight that would have to be tuned on other queries. */
export async function searchSystems(
  options: SearchSystemsOptions,
): Promise<Partial<Record<QualitySystemName, Run>> & { bm25: Run; model: Run }> {
  const { step, data, queries, onProgress } = options;
  onProgress?.({ part: 'bm25', done: 0, total: queries.length });
  const bm25: Run = { tag: 'bm25', rankings: await sparseRankings(options, queries, DEPTH) };
  const model = await searchDense('model', step, options);
  const hybrid = fuseRuns([model, bm25], { method: 'rrf', depth: DEPTH, tag: 'hybrid' });
  const few = data.documents.count <= FEW_DOCUMENTS;
  const withStart = step > 0 && (options.start || few || (await hasVectors(options.run, 0)));
  const base = options.start || few ? await searchBase(options) : undefined;
  const start = withStart ? await searchDense('start', 0, options) : undefined;
  return { bm25, ...(base && { base }), ...(start && { start }), model, hybrid };
}

/** What the model finds as it was published: with vectors that are kept beside the collection, whoever made them. */
async function searchBase(options: SearchSystemsOptions): Promise<Run | undefined> {
  const { base, data, texts, session, onProgress } = options;
  if (base === undefined) return undefined;
  const total = data.documents.count;
  let done = 0;
  const searcher = await openSearcher(options.collection, {
    model: base,
    modes: ['dense'],
    threads: session.threads,
    onProgress: () => ({
      advance(units) {
        done += units;
        onProgress?.({ part: 'encode', done, total });
      },
      finish() {},
    }),
  });
  try {
    onProgress?.({ part: 'base', done: 0, total: texts.size });
    const ids = [...texts.keys()];
    const found = await searcher.retriever('dense').search([...texts.values()], { k: DEPTH });
    const rankings = new Map<string, Ranking>(
      ids.map((id, nth) => [
        id,
        { ids: found[nth].map((hit) => hit.id), scores: Float64Array.from(found[nth], ({ score }) => score) },
      ]),
    );
    return { tag: 'base', rankings };
  } finally {
    await searcher.close();
  }
}

async function searchDense(tag: string, step: number, options: SearchSystemsOptions): Promise<Run> {
  const { data, queries, onProgress } = options;
  const model = await openModel(step, options);
  const rankings = new Map<string, Ranking>();
  try {
    for (let first = 0; first < queries.length; first += CHUNK) {
      onProgress?.({ part: tag, done: first, total: queries.length });
      const part = queries.subarray(first, first + CHUNK);
      for (const [id, ranking] of await modelRankings({ ...model, data }, part, DEPTH)) {
        rankings.set(id, ranking);
      }
    }
  } finally {
    await model.close();
  }
  return { tag, rankings };
}

/** The run's own index of a step, approximate or not; where it is gone, the collection is encoded once more. */
async function openModel(
  step: number,
  { run, data, session, onProgress }: SearchSystemsOptions,
): Promise<Omit<RankingModel, 'data'> & { close(): Promise<void> }> {
  const total = data.documents.count;
  const folder = run.stepPath('index', step);
  const index = (await exists(folder))
    ? await openDocumentIndex(folder, { threads: session.threads, remedy: removeAndRepeat(folder) })
    : undefined;
  const corpus = index
    ? {
        search: (vectors: Float32Array, k: number, queryOffsets?: Uint32Array) =>
          index.search(vectors, { k: Math.min(k, index.count), queryOffsets }),
        close: () => index.close(),
      }
    : await ExactCorpus.open({
        run,
        step,
        data,
        session,
        onProgress: (done) => onProgress?.({ part: 'encode', done, total }),
      });
  const queryEncoder = await Encoder.create(await loadSide(await modelFolder(run, step), 'queries'), {
    session,
  });
  return {
    corpus,
    queryEncoder,
    async close() {
      await queryEncoder.release();
      await corpus.close();
    },
  };
}

async function hasVectors(run: RunDirectory, step: number): Promise<boolean> {
  return (await run.has('index', step)) || exists(run.file('cache', 'analyze', `index-${step}`));
}
