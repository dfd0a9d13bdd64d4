import { stat } from 'node:fs/promises';
import { type OnProblem, throwProblem } from './problem.js';

/** What is wrong with a file as a whole: of a folder of texts, the others are read all the same. */
const FILE_PROBLEMS = ['unreadable', 'broken-utf8', 'no-text-layer'];
const OTHER_SHEETS = 'other-sheets';
const MOST_TOLD = 5;

/**
 * For those who use a folder of texts as it is: a file of it that cannot be read is left out and told of, once. Any other error
 * ends the reading.
 */
export async function leavingOutFiles(path: string, onNote?: (note: string) => void): Promise<OnProblem> {
  // Without a file that is all there is, nothing is left.
  // What is not there is told by whoever opens it.
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  // Documents are read for each thing that is made of them.
  const told = new Set<string>();
  return (problem) => {
    const leavesOut = isFolder && FILE_PROBLEMS.includes(problem.code);
    if (problem.severity === 'error' && !leavesOut) throwProblem(problem);
    if (!leavesOut && problem.code !== OTHER_SHEETS) return;
    if (told.has(problem.file) || told.size === MOST_TOLD) return;
    told.add(problem.file);
    const { message, hint } = problem;
    const line = problem.line === undefined ? '' : `line ${problem.line}: `;
    onNote?.(
      leavesOut
        ? `${problem.file} is left out: ${line}${message}`
        : `${problem.file}: ${message}${hint ? ` (${hint})` : ''}`,
    );
  };
}
