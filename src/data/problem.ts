import { describe, NearmissError } from '../base/errors.js';

/** Something wrong in a data file, told so that a person can find and mend it. */
export interface Problem {
  /** A warning is legal but likely a mistake; readers pass over it, `data validate` lists it. */
  severity: 'error' | 'warning';
  /** What kind of problem, for programs: `wrong-type`, `duplicate-id`, … */
  code: string;
  file: string;
  /** Counted from 1; absent where the whole file is meant. */
  line?: number;
  field?: string;
  message: string;
  hint?: string;
}

/** Receives problems. When it returns, the reader skips the record at fault and goes on. */
export type OnProblem = (problem: Problem) => void;

/** The way of every reader unless told otherwise: the first error ends the reading, warnings pass. */
export function throwProblem(problem: Problem): void {
  if (problem.severity === 'error') throw problemError(problem);
}

/** What helps with any record at fault. */
const GENERAL_HINT =
  'correct the record (`nearmiss data validate` lists every problem at once), or leave such records out with `nearmiss data import --skip-errors`';

/** A problem as the error that the CLI prints. */
export function problemError(problem: Problem): NearmissError {
  return new NearmissError(formatProblem(problem), { hint: problem.hint ?? GENERAL_HINT });
}

/** `corpus.jsonl:7: field "text": expected a string, got a number (7)`. */
export function formatProblem({ file, line, field, message }: Problem): string {
  const place = line === undefined ? file : `${file}:${line}`;
  return `${place}: ${field === undefined ? '' : `field "${field}": `}${message}`;
}

/** Where a record stands, and to whom its problems are told. */
export class RecordContext {
  readonly file: string;
  readonly line: number;
  readonly #onProblem: OnProblem;

  constructor(file: string, line: number, onProblem: OnProblem) {
    this.file = file;
    this.line = line;
    this.#onProblem = onProblem;
  }

  /** Reports an error; returns undefined, so that a parser can end with `return at.error(…)`. */
  error(code: string, message: string, extra: { field?: string; hint?: string } = {}): undefined {
    this.#onProblem({ severity: 'error', code, file: this.file, line: this.line, message, ...extra });
  }

  warning(code: string, message: string, extra: { field?: string; hint?: string } = {}): undefined {
    this.#onProblem({ severity: 'warning', code, file: this.file, line: this.line, message, ...extra });
  }

  /** Reports a value of the wrong type. */
  wrongType(field: string, expected: string, value: unknown, hint?: string): undefined {
    const code = value === undefined ? 'missing-field' : 'wrong-type';
    return this.error(code, `expected ${expected}, got ${describe(value)}`, { field, hint });
  }
}
