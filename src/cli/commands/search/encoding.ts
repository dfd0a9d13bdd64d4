import { count, formatDuration } from '../../../base/progress.js';
import type { EncodingWork, OpenSearcherOptions } from '../../../search/searcher.js';
import { leavable } from '../../interrupt.js';
import { tell } from '../../output.js';

/** Whoever asks a question does not wait for the vectors of more documents than these, unless they were asked for. */
const MOST_DOCUMENTS = 20_000;
/** How many seconds are worth saying before they are over. */
const WORTH_SAYING_SECONDS = 2;

const STOPPED = 'stopped; what was encoded is kept: the same command goes on there';

export interface EncodingOptions {
  /** Vectors were named on the command line: then they are made, whatever it takes. */
  isAskedFor: boolean;
}

/** Opens a searcher; says what encoding its collection costs before that is done, and lets go of it at Ctrl-C. */
export function openTellingCosts<T>(
  { isAskedFor }: EncodingOptions,
  open: (options: Pick<OpenSearcherOptions, 'mayEncode'>) => Promise<T>,
): Promise<T> {
  const mayEncode = async (work: EncodingWork): Promise<boolean> => {
    const seconds = await work.estimateSeconds();
    if (!isAskedFor && work.documents > MOST_DOCUMENTS) {
      tell(tooLong(work, seconds));
      return false;
    }
    if (seconds > WORTH_SAYING_SECONDS) tell(cost(work, seconds));
    return true;
  };
  return leavable(STOPPED, () => open({ mayEncode }));
}

function cost({ documents }: EncodingWork, seconds: number): string {
  return (
    `vectors of ${count(documents)} documents are made once, which takes about ${formatDuration(seconds)}; ` +
    'Ctrl-C keeps what is done, --mode bm25 does without\n'
  );
}

function tooLong({ documents }: EncodingWork, seconds: number): string {
  return (
    `searching by words alone: vectors of ${count(documents)} documents would take about ${formatDuration(seconds)}; ` +
    '--mode hybrid makes them\n'
  );
}
