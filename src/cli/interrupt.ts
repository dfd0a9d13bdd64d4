import { tell } from './output.js';

/** Exit code of a program that Ctrl-C ended. */
const INTERRUPTED = 130;

/** Does work that may be left at any moment: Ctrl-C ends the program at once and says how to go on. */
export async function leavable<T>(goOn: string, work: () => Promise<T>): Promise<T> {
  const leave = (): void => {
    tell(`\n${goOn}\n`);
    process.exit(INTERRUPTED);
  };
  process.once('SIGINT', leave).once('SIGTERM', leave);
  try {
    return await work();
  } finally {
    process.off('SIGINT', leave).off('SIGTERM', leave);
  }
}
