import { counted } from '../../../base/progress.js';
import { IdTable } from '../../../data/id-table.js';
import { formatProblem, type OnProblem, type Problem, problemError } from '../../../data/problem.js';
import { tell } from '../../output.js';

const SHOWN = 10;

/** Counts problems while something else is done, shows the first and says where the rest can be seen. */
export class ProblemTally {
  readonly #skipErrors: boolean;
  readonly #first: Problem[] = [];
  /** Training files are read several times; a record's problem counts once. */
  readonly #known = new IdTable();
  errors = 0;
  warnings = 0;

  constructor(options: { skipErrors: boolean }) {
    this.#skipErrors = options.skipErrors;
  }

  readonly onProblem: OnProblem = (problem) => {
    if (problem.severity === 'error' && !this.#skipErrors) throw problemError(problem);
    if (!this.#known.add(`${problem.file}:${problem.line}:${problem.code}`)) return;
    if (problem.severity === 'error') this.errors++;
    else this.warnings++;
    if (this.#first.length < SHOWN) this.#first.push(problem);
  };

  print(source: string, dangling: number): void {
    for (const problem of this.#first) {
      tell(`${problem.severity}: ${formatProblem(problem)}\n`);
    }
    const more = this.#known.size - this.#first.length;
    if (more > 0) tell(`… and ${more} more\n`);
    if (this.errors > 0) tell(`${counted(this.errors, 'record')} with errors left out\n`);
    if (dangling > 0) {
      tell(`warning: ${dangling} judgments point to documents or queries that are not there\n`);
    }
    if (this.#first.length > 0 || dangling > 0) {
      tell(`  → nearmiss data validate ${source} lists every problem\n`);
    }
  }
}
