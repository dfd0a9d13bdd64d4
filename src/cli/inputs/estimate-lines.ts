import { open, stat } from 'node:fs/promises';

/** Places of a file that are looked at, and how much of each: the lines at its beginning may be longer than all others. */
const SAMPLES = 16;
const SAMPLE_BYTES = 1 << 16;
const LINE_FEED = 0x0a;

/**
 * About how many lines the files have, from their sizes and the lines at some places in them: good enough to say how
 * long a job will take. Undefined where the sizes do not tell (standard input, gzip, a folder of texts).
 */
export async function estimateLines(files: readonly string[]): Promise<number | undefined> {
  let lines = 0;
  for (const file of files) {
    if (file === '-' || file.endsWith('.gz')) return undefined;
    const info = await stat(file);
    if (info.isDirectory()) return undefined;
    lines += await estimate(file, info.size);
  }
  return Math.round(lines) || undefined;
}

async function estimate(path: string, size: number): Promise<number> {
  const file = await open(path);
  try {
    const whole = size <= SAMPLES * SAMPLE_BYTES;
    const sample = Buffer.alloc(whole ? size : SAMPLE_BYTES);
    const apart = (size - sample.length) / (SAMPLES - 1);
    let [seen, found] = [0, 0];
    for (let i = 0; i < (whole ? 1 : SAMPLES); i++) {
      const { bytesRead } = await file.read(sample, 0, sample.length, Math.floor(i * apart));
      seen += bytesRead;
      found += lineFeeds(sample.subarray(0, bytesRead));
    }
    return seen === 0 ? 0 : (found * size) / seen;
  } finally {
    await file.close();
  }
}

function lineFeeds(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) count++;
  return count;
}
