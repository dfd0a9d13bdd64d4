import { count, formatDuration } from '../../base/progress.js';
import type { RunEvent } from '../../run/events.js';
import { shortageWarning } from '../../run/mining-outcome.js';
import { applyEvent, INITIAL_STATE, type TrainingState } from '../../run/training-state.js';
import { renderView, significant } from './render-view.js';

type Level = 'info' | 'warning' | 'error';

export interface LiveViewOptions {
  /** Shows warnings and errors only. */
  quiet?: boolean;
  /** Default stderr. */
  stream?: Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>;
  /** Milliseconds of a clock that never goes back. */
  now?: () => number;
  /** Looked up for NO_COLOR and TERM. Default the process's own. */
  environment?: Record<string, string | undefined>;
}

const TERMINAL_INTERVAL_MS = 100;
const LOG_INTERVAL_MS = 5000;
const DEFAULT_WIDTH = 80;

/**
 * Shows a run while it goes on: a few lines redrawn in place on a terminal; elsewhere a line for each event that
 * matters, and for steps and encoding one every few seconds.
 *
 * @example
 * const view = new LiveView();
 * for (const event of parseEvents(await readFile('runs/medquad/events/trainer.jsonl', 'utf8'))) {
 *   view.show('trainer', event);
 * }
 * view.close();
 */
export class LiveView {
  readonly #options: LiveViewOptions;
  readonly #stream: NonNullable<LiveViewOptions['stream']>;
  readonly #now: () => number;
  readonly #terminal: boolean;
  readonly #colour: boolean;
  #state: TrainingState = INITIAL_STATE;
  #drawnLines = 0;
  /** The most queries that each source was said to have nothing for. */
  readonly #shortages = new Map<string, number>();
  /** When each kind of frequent event was last shown. */
  readonly #shownAt = new Map<string, number>();

  constructor(options: LiveViewOptions = {}) {
    const environment = options.environment ?? process.env;
    this.#options = options;
    this.#stream = options.stream ?? process.stderr;
    this.#now = options.now ?? (() => performance.now());
    this.#terminal = this.#stream.isTTY === true && environment.TERM !== 'dumb';
    // no-color.org: any value that is not empty.
    this.#colour = this.#terminal && !environment.NO_COLOR;
  }

  /** Takes in what happened in one of a run's processes. */
  show(role: string, event: RunEvent): void {
    this.#state = applyEvent(this.#state, event, this.#now());
    if (event.type === 'start') this.#shortages.clear();
    if (event.type === 'refresh' || event.type === 'mined') this.#warnOfShortage(role, event);
    if (event.type === 'log') this.log(event.level, `${role}: ${event.message}`);
    else if (this.#options.quiet || this.#isTooSoon(event)) return;
    else if (this.#terminal) this.#draw();
    else this.#writeLine(describeEvent(role, event, this.#state));
  }

  /** Once a source, and again when it gets worse: a refresh may come every few seconds. */
  #warnOfShortage(role: string, event: Extract<RunEvent, { type: 'refresh' | 'mined' }>): void {
    const source = event.type === 'mined' ? event.table : 'ann';
    const shortage = event.mining?.withoutCandidates ?? 0;
    if (!event.mining || shortage <= (this.#shortages.get(source) ?? 0)) return;
    this.#shortages.set(source, shortage);
    const what = `${source} negatives${event.type === 'mined' ? '' : ` of step ${count(event.step)}`}`;
    this.log('warning', `${role}: ${shortageWarning(what, event.mining)}`);
  }

  /** Prints a message that stays, above the view. */
  log(level: Level, message: string): void {
    if (this.#options.quiet && level === 'info') return;
    this.#erase();
    this.#stream.write(`${level === 'info' ? '' : `${level}: `}${message}\n`);
    if (this.#terminal && !this.#options.quiet) this.#draw();
  }

  /** Leaves the last state on the terminal. */
  close(): void {
    if (this.#terminal && !this.#options.quiet) this.#draw();
    this.#drawnLines = 0;
  }

  /** Steps and encoding come many times a second; everything else is shown at once. */
  #isTooSoon({ type }: RunEvent): boolean {
    if (type !== 'step' && type !== 'encode') return false;
    const kind = this.#terminal ? 'view' : type;
    const interval = this.#terminal ? TERMINAL_INTERVAL_MS : LOG_INTERVAL_MS;
    const before = this.#shownAt.get(kind);
    if (before !== undefined && this.#now() - before < interval) return true;
    this.#shownAt.set(kind, this.#now());
    return false;
  }

  #draw(): void {
    const width = this.#stream.columns || DEFAULT_WIDTH;
    const lines = renderView(this.#state, width, { colour: this.#colour });
    this.#erase();
    this.#stream.write(lines.map((line) => `${line}\n`).join(''));
    this.#drawnLines = lines.length;
  }

  #erase(): void {
    if (this.#drawnLines > 0) this.#stream.write(`\x1b[${this.#drawnLines}A\x1b[J`);
    this.#drawnLines = 0;
  }

  #writeLine(line: string): void {
    this.#stream.write(`${line}\n`);
  }
}

/** One line about an event, for logs. */
function describeEvent(
  role: string,
  event: Exclude<RunEvent, { type: 'log' }>,
  state: TrainingState,
): string {
  switch (event.type) {
    case 'start':
      return `${role} starts at step ${count(event.step)}`;
    case 'step': {
      const { step, totalSteps, tokensPerSecond = 0, secondsLeft } = state;
      const version = event.negativesVersion;
      const negatives = version === undefined ? '' : `  negatives of step ${count(version)}`;
      const eta = secondsLeft === undefined ? '' : `  ETA ${formatDuration(secondsLeft)}`;
      return (
        `${event.stage}  step ${count(step)}/${count(totalSteps)}  loss ${significant(event.loss)}` +
        `  gradient norm ${significant(event.gradientNorm)}  ${count(tokensPerSecond)} tokens/s${negatives}${eta}`
      );
    }
    case 'checkpoint':
      return `checkpoint of step ${count(event.step)} in ${formatDuration(event.seconds)}`;
    case 'negatives':
      return `negatives of step ${count(event.version)} serve from step ${count(event.step)}, ${count(event.age)} steps old`;
    case 'encode':
      return `encoding with step ${count(event.step)}: ${count(event.done)}/${count(event.total)} texts`;
    case 'refresh': {
      const { encodeSeconds, indexSeconds, searchSeconds, replacedShare } = event;
      const replaced =
        replacedShare === undefined ? '' : `, ${Math.round(replacedShare * 100)}% of the negatives replaced`;
      return (
        `refresh with step ${count(event.step)}: ${count(event.documents)} documents, ${count(event.queries)} queries;` +
        ` encode ${formatDuration(encodeSeconds)}, index ${formatDuration(indexSeconds)},` +
        ` search ${formatDuration(searchSeconds)}${replaced}`
      );
    }
    case 'mined': {
      const { ranked, kept, trainingQueries } = event.mining;
      return `${event.table}: ${count(kept)} of ${count(ranked)} candidates kept for ${count(trainingQueries)} queries`;
    }
    case 'evaluation': {
      const figures = Object.entries(event.measures).map(([name, value]) => `${name} ${value.toFixed(4)}`);
      return `dev at step ${count(event.step)}: ${figures.join('  ')}${event.best ? '  (best so far)' : ''}`;
    }
    case 'make':
      return event.total === 0
        ? `${event.stage}: making`
        : `${event.stage}: made ${count(event.done)}/${count(event.total)}`;
    case 'made':
      return `${event.stage}: made by ${event.maker} in ${formatDuration(event.seconds)}`;
    case 'teacher':
      return `${event.stage}: teacher and student agree by ${significant(event.agreement ?? 0)} (Kendall's τ)`;
    case 'wait':
      return `${role} waits at step ${count(event.step)} for ${event.for}`;
    case 'end':
      return `${role} has finished at step ${count(event.step)}`;
  }
}
