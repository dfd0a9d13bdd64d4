/** Progress on stderr: a bar in a terminal, a line every few seconds elsewhere, nothing when `quiet`. */
export interface ProgressOptions {
  /** What is being done, e.g. `encode`. */
  label: string;
  /** How many units there are in all; unknown when left out. */
  total?: number;
  /** The unit shown beside the count, e.g. `texts`. */
  unit?: string;
  quiet?: boolean;
  stream?: NodeJS.WriteStream;
  now?: () => number;
}

const TERMINAL_INTERVAL_MS = 100;
const LOG_INTERVAL_MS = 5000;

/**
 * Shows how far a long job is.
 *
 * @example
 * const progress = new Progress({ label: 'index', total: 5183, unit: 'documents' });
 * for (const document of documents) {
 *   add(document);
 *   progress.advance();
 * }
 * progress.finish();
 */
export class Progress {
  readonly #options: ProgressOptions;
  readonly #stream: NodeJS.WriteStream;
  readonly #now: () => number;
  readonly #start: number;
  readonly #terminal: boolean;
  #done = 0;
  #note = '';
  #shownAt: number;

  constructor(options: ProgressOptions) {
    this.#options = options;
    this.#stream = options.stream ?? process.stderr;
    this.#now = options.now ?? (() => performance.now());
    this.#start = this.#now();
    this.#shownAt = this.#start;
    this.#terminal = this.#stream.isTTY === true && process.env.TERM !== 'dumb';
  }

  /** In a terminal, says at once what is being done: for work whose first unit takes long. */
  begin(): void {
    if (this.#terminal && !this.#options.quiet) this.#stream.write(`\r\x1b[2K${this.#options.label} …`);
  }

  /** In a terminal, takes the bar away. */
  clear(): void {
    if (this.#terminal && !this.#options.quiet) this.#stream.write('\r\x1b[2K');
  }

  /** Counts `units` more as done; `note` is shown at the end of the line, e.g. `7,100 tokens/s`. */
  advance(units = 1, note?: string): void {
    this.#done += units;
    if (note !== undefined) this.#note = note;
    const interval = this.#terminal ? TERMINAL_INTERVAL_MS : LOG_INTERVAL_MS;
    if (this.#options.quiet || this.#now() - this.#shownAt < interval) return;
    this.#shownAt = this.#now();
    this.#stream.write(this.#terminal ? `\r\x1b[2K${this.#line()}` : `${this.#line()}\n`);
  }

  /** Replaces the bar by a last line that says what was done in how long. */
  finish(note = this.#note): void {
    if (this.#options.quiet) return;
    const { label, unit = '' } = this.#options;
    const took = formatDuration((this.#now() - this.#start) / 1000);
    const tail = note ? `, ${note}` : '';
    this.#stream.write(
      `${this.#terminal ? '\r\x1b[2K' : ''}${label}: ${countedUnits(this.#done, unit)} in ${took}${tail}\n`,
    );
  }

  #line(): string {
    const { label, total, unit = '' } = this.#options;
    const seconds = (this.#now() - this.#start) / 1000;
    const tail = this.#note ? `  ${this.#note}` : '';
    // A total may be an estimate: what has gone beyond it is not told any more.
    if (!total || this.#done > total) {
      return `${label} ${count(this.#done)} ${unit}  ${formatDuration(seconds)}${tail}`;
    }
    const share = this.#done / total;
    const left = share > 0 ? formatDuration((seconds / share) * (1 - share)) : '?';
    const bar = this.#terminal ? `${'█'.repeat(Math.round(share * 24)).padEnd(24, '░')} ` : '';
    const percent = `${Math.floor(share * 100)}%`.padStart(4);
    return `${label} ${bar}${percent}  ${count(this.#done)}/${count(total)} ${unit}  ETA ${left}${tail}`;
  }
}

/** `1 query`, `517 queries`, by a unit in the plural. */
export function countedUnits(value: number, unit: string): string {
  return counted(value, unit.replace(/ies$/, 'y').replace(/(?:(?<=ch)es|s)$/, ''), unit);
}

/** Groups thousands: `17,248`. */
export function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** `1 document`, `2,000 documents`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${Math.round(value) === 1 ? one : many}`;
}

/** `0.4 s`, `12 s`, `3 min 20 s`, `2 h 5 min`. */
export function formatDuration(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** `812 B`, `5.4 kB`, `87 MB`, `1.2 GB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${power === 0 || value >= 10 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
}
