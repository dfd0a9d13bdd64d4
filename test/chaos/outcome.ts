import { isDeepStrictEqual } from 'node:util';
import { NearmissError } from '../../src/base/errors.js';

/**
 * What came of an attempt. The invariant: the same result, or an error that names the file. `silent` is another result
 * without a word, `lost` something acknowledged that is not there, `crashed` any other error, `hung` no answer in time.
 */
export type Outcome = 'same' | 'named' | 'silent' | 'lost' | 'crashed' | 'hung';

export interface Judged {
  outcome: Outcome;
  /** The error or the difference, for a report. */
  detail?: string;
}

export interface JudgeOptions<T> {
  expected: T;
  /** One of them must be in the message of an error: the file that was spoilt, say. */
  names: readonly string[];
  timeoutMs: number;
}

/** Does something that a disturbance may have spoilt, and judges what came of it. */
export async function judge<T>(work: () => Promise<T>, options: JudgeOptions<T>): Promise<Judged> {
  const { expected, names, timeoutMs } = options;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Judged>((resolve) => {
    timer = setTimeout(() => resolve({ outcome: 'hung', detail: `no answer in ${timeoutMs} ms` }), timeoutMs);
  });
  const judged = work().then(
    (result): Judged =>
      isDeepStrictEqual(result, expected)
        ? { outcome: 'same' }
        : { outcome: 'silent', detail: JSON.stringify(result)?.slice(0, 500) },
    (error): Judged => judgeError(error, names),
  );
  return Promise.race([judged, late]).finally(() => clearTimeout(timer));
}

function judgeError(error: unknown, names: readonly string[]): Judged {
  const detail = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const isNamed = error instanceof NearmissError && names.some((name) => error.message.includes(name));
  return isNamed ? { outcome: 'named', detail } : { outcome: 'crashed', detail };
}

/** What a suite of attempts prints. */
export class Tally {
  attempts = 0;
  killed = 0;
  corrupted = 0;
  silent = 0;
  lost = 0;
  crashed = 0;
  hung = 0;
  /** Of every attempt that broke the invariant, what it was and what came of it. */
  readonly broken: string[] = [];

  add(what: string, { outcome, detail }: Judged, cause: 'killed' | 'corrupted' | undefined): void {
    this.attempts++;
    if (cause) this[cause]++;
    if (outcome === 'same' || outcome === 'named') return;
    this[outcome]++;
    this.broken.push(`${outcome}: ${what}: ${detail}`);
  }
}
