import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { AdaptOutcome } from '../../adapt/index.js';
import { packageFile } from '../../base/package-files.js';
import type { Training } from '../answers/trainings.js';
import { ApiError } from '../api-error.js';
import { hintForPages } from '../hint-for-pages.js';

export interface TrainingDeskOptions {
  /** The collection that is learned from. */
  data: string;
  /** Where runs are put. */
  runs: string;
  /** How long a training that is told to stop may take for the step it is at. Default 30 s. */
  stopMs?: number;
  /** The program to train with. Default: this package's own. */
  program?: readonly string[];
}

export interface TrainingChoice {
  /** What to call it. */
  run: string;
  /** The built-in recipe; without it what `nearmiss train` does by itself. */
  recipe?: string;
  /** Whose judgments are learned from. */
  split?: string;
  /** Where the documents are, if not in the desk's own collection. */
  data?: string;
}

export interface AdaptationChoice {
  run: string;
  /** Where the documents are, if not in the desk's own collection. */
  data?: string;
  /** A file of people's questions, to be judged by. */
  questions?: string;
}

const STOP_MS = 30_000;
/** Lines of what it said that are kept to explain a failure. */
const LINES_KEPT = 20;
const LINE_LENGTH = 500;

/** What `--json` prints is far shorter. */
const MOST_OUTPUT = 1 << 20;

/** Starts one training at a time, as `nearmiss train` or `adapt` in a process of its own, and stops it as Ctrl-C would. */
export class TrainingDesk {
  readonly #options: TrainingDeskOptions;
  #newest: Training | undefined;
  #child: ChildProcess | undefined;
  #isClosed = false;

  constructor(options: TrainingDeskOptions) {
    this.#options = options;
  }

  get data(): string {
    return this.#options.data;
  }

  /** The one that was started last. */
  get newest(): Training | undefined {
    return this.#newest;
  }

  /** Where a run of that name is, or would be. */
  folderOf(run: string): string {
    return join(this.#options.runs, run);
  }

  /** Whether it is where the runs are that are begun here. */
  holds(folder: string): boolean {
    return resolve(this.folderOf(basename(folder))) === resolve(folder);
  }

  /** Begins a run; a run of that name that was stopped goes on. */
  start({ run, recipe, split, data = this.data }: TrainingChoice): Promise<Training> {
    const what = existsSync(join(this.folderOf(run), 'run.json'))
      ? []
      : [
          ...['--data', data],
          ...(recipe === undefined ? [] : ['--recipe', recipe]),
          ...(split === undefined ? [] : ['--split', split]),
        ];
    return this.#begin({ run, kind: 'train' }, ['train', ...what]);
  }

  /** Begins to adapt a model to documents; one of that name that was stopped goes on. */
  adapt({ run, data = this.data, questions }: AdaptationChoice): Promise<Training> {
    const asked = questions === undefined ? [] : ['--questions', questions];
    return this.#begin({ run, kind: 'adapt' }, ['adapt', data, ...asked, '--json']);
  }

  /** Throws where another one is going on. */
  checkFree(): void {
    if (this.#isClosed) throw new ApiError(503, 'closing', 'the server is stopping');
    if (this.#child === undefined) return;
    throw new ApiError(409, 'unavailable', `"${this.#newest!.run}" is being trained already`, {
      hint: 'one at a time: stop it, or wait for its end',
    });
  }

  async #begin(what: Pick<Training, 'run' | 'kind'>, args: readonly string[]): Promise<Training> {
    this.checkFree();
    const { runs, program = [process.execPath, fileURLToPath(packageFile('dist/cli/main.js'))] } =
      this.#options;
    await mkdir(runs, { recursive: true });
    this.checkFree();
    const [command, ...given] = program;
    const child = spawn(command, [...given, ...args, '--out', this.folderOf(what.run), '--quiet'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const training: Training = { ...what, state: 'running', startedAt: new Date().toISOString() };
    this.#newest = training;
    this.#child = child;
    this.#follow(child, training);
    return training;
  }

  /** Lets the step at hand end, and keeps what was learned. */
  stop(run: string): Training {
    const training = this.#newest;
    if (training?.run !== run || this.#child === undefined) {
      throw new ApiError(404, 'not_found', `no training of "${run}" that was started here is going on`, {
        hint: 'one that was started on the command line is stopped there, with Ctrl-C',
      });
    }
    training.state = 'stopping';
    this.#child.kill('SIGINT');
    return training;
  }

  /** Stops what is going on; it can be gone on with later. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    this.#newest!.state = 'stopping';
    child.kill('SIGINT');
    const overdue = setTimeout(() => child.kill('SIGKILL'), this.#options.stopMs ?? STOP_MS);
    await ended;
    clearTimeout(overdue);
  }

  #follow(child: ChildProcess, training: Training): void {
    const lines: string[] = [];
    let output = '';
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      if (output.length < MOST_OUTPUT) output += text;
    });
    // Searches go first: whoever waits for an answer sits in front of the screen.
    if (child.pid !== undefined) yieldTo(child.pid);
    createInterface({ input: child.stderr! }).on('line', (line) => {
      lines.push(line.slice(0, LINE_LENGTH));
      if (lines.length > LINES_KEPT) lines.shift();
    });
    const end = (state: Training['state'], problem?: string): void => {
      if (this.#child !== child) return;
      this.#child = undefined;
      training.state = state;
      training.endedAt = new Date().toISOString();
      if (problem !== undefined) training.problem = problem;
    };
    child.once('error', ({ message }) => end('failed', message));
    child.once('close', (code) => {
      if (training.state === 'stopping') end('stopped');
      else if (code === 0) {
        if (training.kind === 'adapt') training.tooLittle = tooLittleIn(output);
        end('finished');
      } else end('failed', problemIn(lines) ?? `it ended with code ${code}`);
    });
  }
}

/** Why nothing was learned, as `nearmiss adapt --json` tells it; what was learned is told by the run. */
function tooLittleIn(output: string): string | undefined {
  try {
    return (JSON.parse(output) as AdaptOutcome).adaptation.prepared?.tooLittle;
  } catch {
    return undefined;
  }
}

function yieldTo(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended already, or this system does not let us.
  }
}

/** The error as the command line tells it, with as much of its hint as can be followed at a page. */
function problemIn(lines: readonly string[]): string | undefined {
  const first = lines.findLastIndex((line) => line.startsWith('nearmiss: '));
  if (first < 0) return lines.at(-1);
  const [message, ...hints] = lines.slice(first);
  return [message.replace(/^nearmiss: /, ''), ...hints.flatMap((hint) => hintForPages(hint) ?? [])].join(
    '\n',
  );
}
