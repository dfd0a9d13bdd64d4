import { openDocumentIndex } from '../../index/vectors/index.js';
import { openRun } from '../../run/open-run.js';
import type { RunDescription } from '../../run/run-description.js';
import { RunDirectory } from '../../run/run-directory.js';
import { runIndexRemedy } from '../../run/run-index.js';
import type { TrainingData } from '../../run/training-data.js';
import { shownStep, type WantedStep } from '../shown-step.js';
import type { StudyProgress } from '../study-progress.js';
import { readExcerpts } from '../texts.js';
import { type EncodedPoints, PointEncoder } from './encode-points.js';
import { judgedQuery, suggestQueries } from './judged-query.js';
import { keepPicture, readPicture } from './picture.js';
import { type ChosenDocument, choosePoints } from './points.js';
import { project } from './project.js';
import type { Projection, SpaceMap, SpacePicture, SpacePoint } from './space-picture.js';

export interface SpaceOptions {
  /** The run's folder. */
  run: string;
  /** Its collection, where that is not where the run says. */
  data?: string;
  /** Ids of queries of any split. Default: one of the dev split, drawn with the recipe's seed. */
  queries?: readonly string[];
  /** How many to draw where none are named. Default 1. */
  count?: number;
  /** Default `best`. */
  step?: WantedStep;
  /** Default `tsne`. */
  method?: Projection;
  /** Default: all cores. */
  threads?: number;
  onProgress?: (progress: StudyProgress) => void;
}

/** Negatives of each kind in a picture. */
const PER_KIND = 100;
/** Of a small collection no more than this share: else the kinds are the same documents. */
const LARGEST_SHARE = 1 / 8;

/**
 * Draws queries among their positives and negatives, as the model sees them before and after training. Pictures that
 * were made before are read from the run's cache.
 *
 * @example
 * const [picture] = await drawSpace({ run: 'runs/medquad', queries: ['q17'], method: 'umap' });
 */
export async function drawSpace(options: SpaceOptions): Promise<SpacePicture[]> {
  const { method = 'tsne', onProgress } = options;
  const run = new RunDirectory(options.run, options);
  const step = await shownStep(run, options.step);
  if (options.queries) {
    const kept = await Promise.all(options.queries.map((query) => readPicture(run, { step, query, method })));
    const all = kept.filter((picture) => picture !== undefined);
    if (all.length === kept.length) return all;
  }
  const { data, description } = await openRun(run.path, { data: run.data, quiet: true });
  const artist = new Artist({ run, step, method, data, description, threads: options.threads });
  try {
    const queries = options.queries ?? (await artist.suggest(options.count ?? 1));
    const pictures: SpacePicture[] = [];
    for (const query of queries) {
      onProgress?.({ part: 'project', done: pictures.length, total: queries.length });
      pictures.push((await readPicture(run, { step, query, method })) ?? (await artist.draw(query)));
    }
    return pictures;
  } finally {
    await artist.close();
    await data.close();
  }
}

interface ArtistOptions {
  run: RunDirectory;
  step: number;
  method: Projection;
  data: TrainingData;
  description: RunDescription;
  threads?: number;
}

/** Draws several queries with the models loaded once. */
class Artist {
  readonly #options: ArtistOptions;
  #encoders: PointEncoder[] | undefined;

  constructor(options: ArtistOptions) {
    this.#options = options;
  }

  suggest(count: number): Promise<string[]> {
    const { data, description } = this.#options;
    const { evaluation, seed } = description.recipe;
    return suggestQueries(data, { split: evaluation.split, count, seed });
  }

  async draw(id: string): Promise<SpacePicture> {
    const { run, step, method, data, description } = this.#options;
    const { seed } = description.recipe;
    const query = await judgedQuery(data, id);
    const chosen = await this.#choose(query.number, query.positives);
    const maps: SpaceMap[] = [];
    for (const encoder of await this.#open()) {
      const points = await encoder.points(
        query.number,
        chosen.map(({ document }) => document),
      );
      maps.push(mapOf(encoder.step, points, project(points, { method, seed })));
    }
    const points = [
      { kind: 'query' as const, id, excerpt: query.text, ranks: {} },
      ...(await describePoints(data, chosen)),
    ];
    const picture: SpacePicture = {
      format: 1,
      query: { id, text: query.text, splits: query.splits },
      method,
      step,
      points,
      maps,
    };
    await keepPicture(run, picture);
    return picture;
  }

  async close(): Promise<void> {
    for (const encoder of this.#encoders ?? []) await encoder.close();
  }

  async #choose(query: number, positives: ReadonlySet<number>): Promise<ChosenDocument[]> {
    const { run, step, data, description, threads } = this.#options;
    const index = await openDocumentIndex(run.stepPath('index', step), {
      threads,
      remedy: runIndexRemedy(run, step),
    });
    try {
      return await choosePoints({
        run,
        data,
        session: { threads },
        query,
        vector: await (await this.#open()).at(-1)!.query(query),
        positives,
        index,
        perKind: Math.min(PER_KIND, Math.ceil(LARGEST_SHARE * data.documents.count)),
        seed: description.recipe.seed,
      });
    } finally {
      await index.close();
    }
  }

  /** The model as it started, and that of the step. */
  async #open(): Promise<PointEncoder[]> {
    if (this.#encoders) return this.#encoders;
    const { run, step, data, threads } = this.#options;
    this.#encoders = [];
    for (const at of new Set([0, step])) {
      this.#encoders.push(await PointEncoder.open({ run, step: at, data, session: { threads } }));
    }
    return this.#encoders;
  }
}

async function describePoints(data: TrainingData, chosen: readonly ChosenDocument[]): Promise<SpacePoint[]> {
  const ids = chosen.map(({ document }) => data.documents.cache.id(document));
  const excerpts = await readExcerpts(data.dataset, ids);
  return chosen.map(({ kind, ranks }, i) => ({ kind, ...excerpts.get(ids[i])!, ranks }));
}

/** Coordinates need no more digits than a screen shows. */
function mapOf(step: number, { scores }: EncodedPoints, places: Float64Array): SpaceMap {
  const axis = (offset: number): number[] =>
    Array.from({ length: places.length / 2 }, (_, i) => rounded(places[2 * i + offset]));
  return { step, x: axis(0), y: axis(1), scores: [null, ...Array.from(scores, rounded)] };
}

function rounded(value: number): number {
  return Number(value.toPrecision(6));
}
