import { stat } from 'node:fs/promises';
import { readStart } from '../../base/files.js';

const SAMPLE_BYTES = 1 << 20;
const LINE_FEED = 0x0a;

/**
 * About how many lines the files have, from their sizes and the lines at their beginning: good enough to say how
 * long a job will take. Undefined where the sizes do not tell (standard input, gzip, a folder of texts).
 */
export async function estimateLines(files: readonly string[]): Promise<number | undefined> {
  let lines = 0;
  for (const file of files) {
    if (file === '-' || file.endsWith('.gz')) return undefined;
    const info = await stat(file);
    if (info.isDirectory()) return undefined;
    const sample = await readStart(file, SAMPLE_BYTES);
    let inSample = 0;
    for (let at = sample.indexOf(LINE_FEED); at >= 0; at = sample.indexOf(LINE_FEED, at + 1)) inSample++;
    if (sample.length > 0) lines += (inSample * info.size) / sample.length;
  }
  return Math.round(lines) || undefined;
}
