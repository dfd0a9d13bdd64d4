import { exists } from '../../base/files.js';
import { withWriteLock } from '../../base/lock/write-lock.js';
import { secondsSince } from '../../base/numbers/seconds-since.js';
import { ContentHash } from '../../data/content-hash.js';
import { Random } from '../../engine/index.js';
import type { Ranking } from '../../evaluate/index.js';
import { tuneBm25 } from '../../evaluate/tune-bm25.js';
import { type Bm25Index, Bm25Searcher, openBm25Index } from '../../index/bm25/index.js';
import { saveParameters } from '../../index/bm25/save-parameters.js';
import { writeTermIndex } from '../../index/terms/write-term-index.js';
import { encodeNumbered, loadEncoderModel } from '../../model/index.js';
import { madeWith } from '../../model/precision/precision.js';
import { TermWeigher } from '../../model/terms/term-weigher.js';
import type { RankedList } from '../../negatives/index.js';
import type { Recipe } from '../../recipe/recipe.js';
import { bm25Folder } from '../../run/bm25-folder.js';
import { modelFolder } from '../../run/model-folder.js';
import { READ_ONLY_RUN } from '../../run/run-directory.js';
import type { TrainingData } from '../../run/training-data.js';
import { analyzerFor } from '../../text/analyzers/index.js';
import type { CheckpointSearch, CheckpointSearchOptions } from './checkpoint-search.js';

/** Training queries that k1 and b are tuned on. */
const TUNED_ON = 200;

/** What BM25 finds where a checkpoint says what words count for: those of documents, or those of queries. */
export class TermsCheckpoint implements CheckpointSearch {
  readonly step: number;
  readonly seconds: Record<string, number>;
  readonly #data: TrainingData;
  readonly #searcher: Bm25Searcher;
  readonly #weigher: TermWeigher | undefined;

  private constructor(
    step: number,
    parts: {
      seconds: Record<string, number>;
      data: TrainingData;
      searcher: Bm25Searcher;
      weigher?: TermWeigher;
    },
  ) {
    this.step = step;
    this.seconds = parts.seconds;
    this.#data = parts.data;
    this.#searcher = parts.searcher;
    this.#weigher = parts.weigher;
  }

  static async open(step: number, options: CheckpointSearchOptions): Promise<TermsCheckpoint> {
    const { run, recipe, data } = options;
    const started = performance.now();
    if (weighedSide(recipe) === 'queries') {
      const searcher = new Bm25Searcher(await openBm25Index(await bm25Folder(run, data)));
      const weigher = await openWeigher(step, options);
      return new TermsCheckpoint(step, { seconds: { search: 0 }, data, searcher, weigher });
    }
    const folder = run.stepPath('index', step);
    await withWriteLock(run.file('cache', `index-${step}.lock`), READ_ONLY_RUN, async () => {
      if (!(await exists(folder))) await indexByWeights(folder, step, options);
    });
    const seconds = { index: secondsSince(started), search: 0 };
    const searcher = new Bm25Searcher(await openBm25Index(folder));
    return new TermsCheckpoint(step, { seconds, data, searcher });
  }

  async *search(queries: ArrayLike<number>, k: number): AsyncGenerator<RankedList & { place: number }> {
    const texts = await queryTexts(this.#data, queries);
    const { index } = this.#searcher;
    const numbers = this.#data.documents.cache;
    for (let place = 0; place < queries.length; place++) {
      const started = performance.now();
      const terms = this.#weigher && (await this.#weigher.weighQueries([texts[place]]))[0];
      const { ids, scores } = terms
        ? this.#searcher.searchTerms(terms, k)
        : this.#searcher.search(texts[place], k);
      this.seconds.search += secondsSince(started);
      yield {
        place,
        query: queries[place],
        ids: Int32Array.from(ids, (document) => numbers.indexOf(index.documentId(document))),
        scores: Float32Array.from(scores),
      };
    }
  }

  async rankings(queries: ArrayLike<number>, k: number): Promise<Map<string, Ranking>> {
    const { documents, queries: known } = this.#data;
    const rankings = new Map<string, Ranking>();
    for await (const { query, ids, scores } of this.search(queries, k)) {
      rankings.set(known.cache.id(query), {
        ids: Array.from(ids, (id) => documents.cache.id(id)),
        scores: Float64Array.from(scores),
      });
    }
    return rankings;
  }

  async close(): Promise<void> {
    await this.#weigher?.release();
  }
}

/** Whose words a recipe's model weighs. */
function weighedSide({ stages }: Pick<Recipe, 'stages'>): 'documents' | 'queries' {
  const task = stages.find(({ task }) => task?.name === 'term-weights')?.task;
  return task?.side === 'queries' ? 'queries' : 'documents';
}

async function openWeigher(
  step: number,
  { run, recipe, session }: CheckpointSearchOptions,
): Promise<TermWeigher> {
  return TermWeigher.create(await loadEncoderModel(await modelFolder(run, step)), {
    analyzer: analyzerFor(recipe.model.words.language),
    session: { ...session, precision: recipe.refresh.precision },
  });
}

/** Weighs the words of all documents and indexes them; k1 and b are those that serve the training queries best. */
async function indexByWeights(folder: string, step: number, options: CheckpointSearchOptions): Promise<void> {
  const { run, recipe, data, signal } = options;
  const weigher = await openWeigher(step, options);
  const { shards, offsets, remove } = await encodeNumbered(weigher.encoder, data.documents, {
    directory: run.file('cache', 'shards', String(step)),
    onProgress: (done) => options.onProgress?.(done, data.documents.count),
    signal,
  }).finally(() => weigher.release());
  const content = new ContentHash();
  for await (const document of data.dataset.documents()) content.add(document);
  await writeTermIndex(
    folder,
    { offsets, blocks: shards, ids: data.documents.cache.idTable },
    {
      reader: weigher.reader,
      frequencies: recipe.model.words,
      model: madeWith(`step ${step}`, weigher.encoder.precision),
      content: () => content.digest(),
      signal,
    },
  );
  await saveParameters(folder, await tuned(await openBm25Index(folder), options));
  await remove();
}

async function tuned(
  index: Bm25Index,
  { recipe, data }: CheckpointSearchOptions,
): Promise<{ k1: number; b: number }> {
  const random = Random.from(recipe.seed, 'tune');
  const places = Array.from(data.training, (_, place) => place);
  for (let i = 0; i < Math.min(TUNED_ON, places.length); i++) {
    const other = i + random.integer(places.length - i);
    [places[i], places[other]] = [places[other], places[i]];
  }
  const chosen = places.slice(0, TUNED_ON).map((place) => data.training[place]);
  const texts = await queryTexts(
    data,
    chosen.map(({ query }) => query),
  );
  const queries = chosen.map(({ query }, i) => ({ id: data.queries.cache.id(query), text: texts[i] }));
  const qrels = new Map(
    chosen.map(({ query, positives, grades }) => [
      data.queries.cache.id(query),
      new Map(Array.from(positives, (document, i) => [data.documents.cache.id(document), grades[i]])),
    ]),
  );
  const [best] = await tuneBm25(index, queries, qrels, { measure: 'nDCG@10', threads: 1 });
  return best;
}

/** The texts of queries: BM25 reads words, not tokens. */
async function queryTexts({ dataset, queries }: TrainingData, wanted: ArrayLike<number>): Promise<string[]> {
  const places = new Map<string, number[]>();
  Array.from(wanted).forEach((query, place) => {
    const id = queries.cache.id(query);
    places.set(id, [...(places.get(id) ?? []), place]);
  });
  const texts = new Array<string>(wanted.length);
  for await (const { id, text } of dataset.queries()) {
    for (const place of places.get(id) ?? []) texts[place] = text;
  }
  return texts;
}
