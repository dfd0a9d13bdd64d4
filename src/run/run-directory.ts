import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { exists, writeFileAtomic } from '../base/files.js';
import type { FolderContents } from '../base/folders/folder-contents.js';
import { parseSealedJson } from '../base/json-file.js';

/** Places in a run's folder where one thing appears for each checkpoint: `checkpoints/step-000300`. */
export type StepFolder = 'checkpoints' | 'resume' | 'negatives' | 'index' | 'evaluations';

/** The model that a run starts from, kept so that a resumed run does not depend on where it came from. */
export const START_FOLDER = 'start';

/** In a checkpoint and in `best/`: the cross-encoder that learned beside the model. */
export const TEACHER_FOLDER = 'teacher';

/** What a start that was interrupted before `run.json` may leave. */
export const BEGUN_FOLDER: FolderContents = {
  what: 'a run',
  files: /^(recipe\.yaml|judged\.json|(start|events|checkpoints|negatives|index|evaluations|cache)\/.+)$/,
};

/** What to do where a run lacks something that cannot be made in it. */
export const READ_ONLY_RUN =
  'a run keeps what is made of it in its cache: copy it to a place you may write to';

const DAMAGED_RUN =
  'the run folder was changed by hand or the disk is damaged; restore the file or start a new run';

const STEP_NAME = /^step-(\d{6,})(?:\.json)?$/;

/**
 * The folder in which Trainer, Inferencer and everything that watches them meet, and nowhere else. Whatever has
 * its final name there is complete; names that start with `.partial-` are somebody's unfinished work.
 *
 * ```
 * recipe.yaml run.json     what the run is
 * judged.json              what people had judged when it began, where it uses that
 * start/                   the model it starts from
 * events/*.jsonl           one append-only file a process
 * checkpoints/step-000300/ model, optimizer state, state.json
 * resume/step-000317/      the same between two checkpoints, for nobody but a Trainer that goes on
 * negatives/step-000300/   what was mined with that checkpoint; negatives/bm25-3fa94c1e/ for BM25's
 * index/step-000300/       the corpus encoded by it
 * evaluations/step-000300.json
 * best/                    the model that measured best
 * cache/                   tokens, BM25 index
 * finished.json            written last
 * ```
 */
export class RunDirectory {
  readonly path: string;
  /** Where the collection is, where that is not where `run.json` says. */
  readonly data: string | undefined;

  constructor(path: string, options: { data?: string } = {}) {
    this.path = path;
    this.data = options.data;
  }

  file(...names: string[]): string {
    return join(this.path, ...names);
  }

  /** `checkpoints/step-000300` */
  stepPath(folder: StepFolder, step: number): string {
    const name = `step-${String(step).padStart(6, '0')}`;
    return this.file(folder, folder === 'evaluations' ? `${name}.json` : name);
  }

  /** The steps for which `folder` has something complete, ascending. */
  async steps(folder: StepFolder): Promise<number[]> {
    const names = await readdir(this.file(folder)).catch(() => []);
    return names
      .flatMap((name) => STEP_NAME.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => a - b);
  }

  async has(folder: StepFolder, step: number): Promise<boolean> {
    return exists(this.stepPath(folder, step));
  }

  async create(): Promise<void> {
    for (const folder of ['events', 'checkpoints', 'negatives', 'index', 'evaluations', 'cache']) {
      await mkdir(this.file(folder), { recursive: true });
    }
  }

  /** Whether the Trainer has taken its last step. */
  async isFinished(): Promise<boolean> {
    return exists(this.file('finished.json'));
  }

  async finish(summary: Record<string, unknown>): Promise<void> {
    await writeFileAtomic(this.file('finished.json'), `${JSON.stringify(summary, null, 2)}\n`);
  }

  /** Reads a JSON file of the run; `undefined` where there is none. */
  async readJson<T>(...names: string[]): Promise<T | undefined> {
    const path = this.file(...names);
    const text = await readFile(path, 'utf8').catch(() => undefined);
    if (text === undefined) return undefined;
    return parseSealedJson(text, { where: path, schema: z.custom<T>(), hint: DAMAGED_RUN });
  }
}

/** Polls until `find` gives something, or `stop` says that it never will. */
export async function waitFor<T>(
  find: () => Promise<T | undefined>,
  options: { stop?: () => Promise<boolean>; everyMs?: number } = {},
): Promise<T | undefined> {
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    if (await options.stop?.()) return undefined;
    await sleep(options.everyMs ?? 200);
  }
}
