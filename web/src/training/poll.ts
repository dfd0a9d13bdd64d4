/** What a round of asking brought. */
export interface Round {
  outcome: 'new' | 'same' | 'failed';
  /** Whether there will be news soon. */
  live: boolean;
}

const SHORTEST_MS = 1000;
const LONGEST_MS = 10_000;
const IDLE_MS = 15_000;
const LONGEST_AFTER_FAILURE_MS = 30_000;

/** How long to wait after some rounds without news: briefly at first, then longer and longer. */
function pauseAfter({ outcome, live }: Round, roundsWithoutNews: number): number {
  const doubled = SHORTEST_MS * 2 ** roundsWithoutNews;
  if (outcome === 'failed') return Math.min(2 * doubled, LONGEST_AFTER_FAILURE_MS);
  if (!live) return IDLE_MS;
  return outcome === 'new' ? SHORTEST_MS : Math.min(doubled, LONGEST_MS);
}

/** Asks again and again, more rarely while nothing happens, and not while nobody looks. Gives what ends it. */
export function poll(ask: (signal: AbortSignal) => Promise<Round>): () => void {
  const end = new AbortController();
  const { signal } = end;
  let withoutNews = 0;
  const next = (pause: number) => {
    const timer = setTimeout(async () => {
      if (document.hidden) await becomesVisible(signal);
      if (!signal.aborted) void round();
    }, pause);
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  };
  const round = async () => {
    const result = await ask(signal);
    if (signal.aborted) return;
    withoutNews = result.outcome === 'new' ? 0 : withoutNews + 1;
    next(pauseAfter(result, withoutNews));
  };
  void round();
  return () => end.abort();
}

function becomesVisible(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (!document.hidden) resolve();
    };
    document.addEventListener('visibilitychange', check, { signal });
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
