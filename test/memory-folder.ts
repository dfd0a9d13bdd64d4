import { readFileSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';

const FOLDER = '/dev/shm';
/** An installed package, some runs: with room to spare. */
const LEAST_BYTES = 4 * 2 ** 30;

/**
 * A folder in memory for the files of tests, where there is room: they write thousands of small ones, each of which waits for the
 * disk (fsync), and none is kept. `undefined` leaves them where the system has them; so does a `TMPDIR` of your own.
 */
export function memoryFolder(): string | undefined {
  if (process.env.TMPDIR || process.platform !== 'linux') return undefined;
  try {
    // Some tests install the package and load its native modules.
    const mounted = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .findLast((line) => line.split(' ')[1] === FOLDER);
    if (!mounted || mounted.split(' ')[3].split(',').includes('noexec')) return undefined;
    const { bavail, bsize } = statfsSync(FOLDER);
    return Math.min(bavail * bsize, available()) >= LEAST_BYTES ? FOLDER : undefined;
  } catch {
    return undefined;
  }
}

/** Memory that programs could have: what is only cached counts. */
function available(): number {
  const [, kilobytes] = /^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8')) ?? [];
  return kilobytes ? Number(kilobytes) * 1024 : freemem();
}
