import { NearmissError } from '../../base/errors.js';
import { readLineBatches } from '../../base/lines.js';
import type { OnProblem } from '../problem.js';

const LEAVE_OUT = '`nearmiss data import --skip-errors` leaves such files out';

/** A file's text; undefined after its problem was reported. */
export async function readText(file: string, onProblem: OnProblem): Promise<string | undefined> {
  const parts: string[] = [];
  const broken: { line: number; message: string; hint: string }[] = [];
  try {
    for await (const { lines } of readLineBatches(file, { onBrokenUtf8: (place) => broken.push(place) })) {
      if (broken.length > 0) break;
      parts.push(lines.join('\n'));
    }
  } catch (error) {
    if (!(error instanceof NearmissError)) throw error;
    return reportUnreadable(file, error, onProblem);
  }
  if (broken.length === 0) return parts.join('\n');
  // A file is left out as a whole, so its first broken line is enough.
  const [{ line, message, hint }] = broken;
  onProblem({ severity: 'error', code: 'broken-utf8', file, line, message, hint: `${hint}; ${LEAVE_OUT}` });
}

/** A file or folder that could not be read is told of and left out. */
export function reportUnreadable(
  file: string,
  { message, hint }: NearmissError,
  onProblem: OnProblem,
): undefined {
  onProblem({
    severity: 'error',
    code: 'unreadable',
    file,
    message: message.replace(`${file}:`, '').trim(),
    hint: `${hint}; ${LEAVE_OUT}`,
  });
}
