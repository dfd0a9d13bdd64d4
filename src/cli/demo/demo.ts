import { join, resolve } from 'node:path';
import { analyzeRuns, writeReport } from '../../analyze/index.js';
import { exists } from '../../base/files.js';
import { writeJsonFile } from '../../base/json-file.js';
import { secondsSince } from '../../base/numbers/seconds-since.js';
import { count, Progress } from '../../base/progress.js';
import { type Dataset, openDataset, writeBeir } from '../../data/index.js';
import { openReverseDictionary } from '../../data/wordnet/index.js';
import type { Run } from '../../evaluate/index.js';
import { fingerprintRecipe } from '../../recipe/fingerprint.js';
import { loadRecipe } from '../../recipe/load.js';
import type { Recipe } from '../../recipe/recipe.js';
import { measureBm25 } from '../../repro/table/measure-row.js';
import { trainRow } from '../../repro/table/train-row.js';
import { slimRun } from '../../run/room/slim.js';
import { isRun } from '../../run/run-description.js';
import { RunDirectory } from '../../run/run-directory.js';
import { createRun } from '../../train/process/create-run.js';
import { leavable } from '../interrupt.js';
import { tell } from '../output.js';
import { type WatchedTraining, watchTraining } from '../watch-training.js';
import { DemoFolder, type DemoSettings } from './demo-folder.js';
import { type DemoExample, describeExamples, largestGains } from './examples.js';
import { type DemoRow, type DemoSystem, demoRows } from './result.js';
import { resultsSection } from './results-section.js';
import type { DemoSize } from './sizes.js';
import { denseRun } from './systems.js';

export interface DemoOptions {
  size: DemoSize;
  out: string;
  seed: number;
  threads: number;
  quiet?: boolean;
  /** What is said when Ctrl-C ends it. */
  goOn: string;
}

/** What the demo found: `results.json`. */
export interface DemoOutcome {
  format: 1;
  size: string;
  seed: number;
  documents: number;
  /** Test queries. */
  test: number;
  /** Of the encoder, trained or not. */
  layers: number;
  rows: DemoRow[];
  examples: DemoExample[];
  /** Paths of the report's page, the run of ANCE and the collection. */
  report: string;
  run: string;
  data: string;
  /** Of this start; what an earlier one had done is not in it. */
  seconds: number;
}

const TEST = 'test';
const EXAMPLES = 3;
const SYSTEMS = { bm25: 'BM25', start: 'MiniLM', randNeg: 'Rand Neg', ance: 'ANCE' } as const;

/**
 * Opens the demo's folder, or refuses it; gives what there is to do and whether an earlier start has begun with it.
 *
 * @param check may refuse before anything is written
 */
export async function prepareDemo(
  options: DemoOptions,
  check: (begun: boolean) => void,
): Promise<{ demo: Demo; begun: boolean }> {
  const { size, seed } = options;
  const set = [...size.recipes.set, `seed=${seed}`];
  const [ance, randNeg] = await Promise.all(
    [size.recipes.ance, size.recipes.randNeg].map(async (name) => (await loadRecipe(name, { set })).recipe),
  );
  // Runs, tables and model cards call them what the table calls them.
  const recipes = { ance: { ...ance, name: 'ance' }, randNeg: { ...randNeg, name: 'rand-neg' } };
  const fingerprints = { ance: fingerprintRecipe(ance), randNeg: fingerprintRecipe(randNeg) };
  const settings: DemoSettings = { format: 1, size: size.name, seed, recipes: fingerprints };
  const folder = new DemoFolder(options.out);
  const begun = await folder.isBegun(settings);
  check(begun);
  if (!begun) await folder.begin(settings);
  return { demo: new Demo(folder, recipes, options), begun };
}

/** Every step leaves its result in the folder, and one whose result is there is not done again. */
class Demo {
  readonly #folder: DemoFolder;
  readonly #recipes: { ance: Recipe; randNeg: Recipe };
  readonly #options: DemoOptions;

  constructor(folder: DemoFolder, recipes: { ance: Recipe; randNeg: Recipe }, options: DemoOptions) {
    this.#folder = folder;
    this.#recipes = recipes;
    this.#options = options;
  }

  /** Goes through all steps; `undefined` when Ctrl-C stopped the training. */
  async run(): Promise<DemoOutcome | undefined> {
    const started = performance.now();
    const { ance, randNeg } = this.#recipes;
    const { goOn } = this.#options;
    const before = await leavable(goOn, async () => {
      const dataset = await this.#buildData();
      return { dataset, ...(await this.#measureUntrained()) };
    });
    this.#say('3/4  train with ANCE (Trainer and Inferencer), and beside it as long with random negatives');
    // In lockstep one process of a run waits for the other: two runs at once leave no core idle.
    const [anceRun, randNegRun] = await this.#trainBoth(ance, randNeg);
    if (!anceRun || !randNegRun) return undefined;
    return leavable(goOn, async () => {
      this.#say('4/4  measure, write the report, choose examples');
      const systems: DemoSystem[] = [
        { name: SYSTEMS.bm25, run: before.bm25, steps: 0 },
        { name: SYSTEMS.start, run: before.start, steps: 0 },
        { name: SYSTEMS.randNeg, ...(await this.#measureTrained(randNegRun, SYSTEMS.randNeg)) },
        { name: SYSTEMS.ance, ...(await this.#measureTrained(anceRun, SYSTEMS.ance)) },
      ];
      const outcome = await this.#outcome(before.dataset, systems, anceRun);
      await this.#writeReport([anceRun.path, randNegRun.path], outcome);
      const seconds = secondsSince(started);
      await writeJsonFile(this.#folder.file('results.json'), { ...outcome, seconds });
      return { ...outcome, seconds };
    });
  }

  async #buildData(): Promise<Dataset> {
    const { size, seed } = this.#options;
    const { data } = this.#folder;
    if (!(await exists(data))) {
      const dictionary = await openReverseDictionary({
        ...size.data,
        seed,
        onFetch: (what) => this.#say(`1/4  ${what}`),
      });
      const { documents, queries, judgments } = await writeBeir(dictionary, data);
      const splits = Object.entries(judgments).map(([split, pairs]) => `${split} ${count(pairs)}`);
      this.#say(
        `1/4  collection: ${count(documents)} nouns, ${count(queries)} definitions (${splits.join(', ')})`,
      );
    } else this.#say('1/4  collection: there already');
    return openDataset(data);
  }

  /** BM25 and the model that training starts from; the corpus that is encoded for it is also the first one to mine. */
  async #measureUntrained(): Promise<{ bm25: Run; start: Run }> {
    this.#say('2/4  measure BM25 and MiniLM as it comes');
    const run = await this.#openRun(this.#recipes.ance);
    const bm25 = await measureBm25(run, { system: SYSTEMS.bm25, split: TEST });
    const progress = new Progress({
      label: 'encode',
      unit: 'nouns',
      quiet: this.#options.quiet,
    });
    let encoded = 0;
    const start = await this.#search(run, SYSTEMS.start, 0, (done) => {
      progress.advance(done - encoded);
      encoded = done;
    });
    if (encoded > 0) progress.finish();
    return { bm25, start };
  }

  async #openRun(recipe: Recipe): Promise<RunDirectory> {
    const path = this.#folder.file(recipe.name);
    if (await isRun(path)) return new RunDirectory(path);
    const data = resolve(this.#folder.data);
    return createRun(path, { data, split: 'train', recipe }, { quiet: true });
  }

  /** Trains both at once, the first one in view; none where Ctrl-C came. */
  async #trainBoth(shown: Recipe, beside: Recipe): Promise<[RunDirectory?, RunDirectory?]> {
    const watched = await watchTraining({ quiet: this.#options.quiet });
    const { supervise } = watched;
    const unseen = { ...supervise, onEvent: () => undefined };
    try {
      const trained = await Promise.allSettled([this.#train(shown, supervise), this.#train(beside, unseen)]);
      if (watched.stopped()) return [];
      return trained.map((run) => {
        if (run.status === 'rejected') throw run.reason;
        return run.value;
      }) as [RunDirectory, RunDirectory];
    } finally {
      watched.close();
    }
  }

  async #train(recipe: Recipe, supervise: WatchedTraining['supervise']): Promise<RunDirectory> {
    await this.#openRun(recipe);
    const { threads } = this.#options;
    const runs = await trainRow(recipe, {
      data: resolve(this.#folder.data),
      split: 'train',
      out: this.#folder.path,
      supervise: { threads: { trainer: threads, inferencer: threads }, ...supervise },
    });
    const run = runs.at(-1)!;
    await slimRun(run);
    return run;
  }

  async #measureTrained(run: RunDirectory, system: string): Promise<{ run: Run; steps: number }> {
    const steps = (await run.steps('evaluations')).at(-1)!;
    return { run: await this.#search(run, system, steps), steps };
  }

  #search(
    run: RunDirectory,
    system: string,
    step: number,
    onProgress?: (done: number) => void,
  ): Promise<Run> {
    const tag = system.toLowerCase().replaceAll(' ', '-');
    return denseRun(run, {
      tag,
      step,
      split: TEST,
      path: run.file(`${TEST}-${tag}.trec`),
      session: { threads: this.#options.threads },
      onProgress,
    });
  }

  async #writeReport(runs: readonly string[], outcome: Pick<DemoOutcome, 'rows' | 'test'>): Promise<void> {
    const { report } = this.#folder;
    if (await exists(report)) return;
    const { threads, size } = this.#options;
    const analysis = await analyzeRuns({
      runs,
      sections: ['curves', 'gradients', 'long-tail', 'overlap', 'compare'],
      queries: size.reportQueries,
      threads,
      quiet: true,
    });
    await writeReport(report, analysis, { first: [resultsSection(outcome)] });
  }

  async #outcome(
    dataset: Dataset,
    systems: readonly DemoSystem[],
    run: RunDirectory,
  ): Promise<Omit<DemoOutcome, 'seconds'>> {
    const { size, seed } = this.#options;
    const qrels = await dataset.qrels(TEST);
    const runOf = (name: string): Run => systems.find((system) => system.name === name)!.run;
    const sides = { before: runOf(SYSTEMS.start), after: runOf(SYSTEMS.ance) };
    let documents = 0;
    for await (const _ of dataset.documents()) documents++;
    return {
      format: 1,
      size: size.name,
      seed,
      documents,
      test: qrels.size,
      layers: this.#recipes.ance.model.layers!,
      rows: demoRows(systems, qrels),
      examples: await describeExamples(largestGains(qrels, sides, EXAMPLES), { dataset, qrels, ...sides }),
      report: join(this.#folder.report, 'index.html'),
      run: run.path,
      data: this.#folder.data,
    };
  }

  #say(line: string): void {
    if (!this.#options.quiet) tell(`${line}\n`);
  }
}
