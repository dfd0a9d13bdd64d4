/** What a loop may take at a time: a request that asks for next to nothing waits no longer than this for it. */
const TURN_MS = 5;

const queue: (() => void)[] = [];
let isDealing = false;
let roundSince = 0;

/**
 * A share of this thread for a loop that takes long, so that timers and other people's requests get theirs. However many
 * such loops there are, turns are dealt for a few milliseconds, then the event loop goes round, then the next are dealt.
 * Many loops that need little have their turns in one round, so that what they ask for next is worked on together, too.
 *
 * @example
 * const turn = await Turn.begin();
 * for (const document of documents) {
 *   add(document);
 *   if (turn.isOver) await turn.next();
 * }
 */
export class Turn {
  #since = performance.now();

  private constructor() {}

  /** Waits for the first turn. */
  static async begin(signal?: AbortSignal): Promise<Turn> {
    const turn = new Turn();
    await turn.next(signal);
    return turn;
  }

  /** Whether it is for others to go on. */
  get isOver(): boolean {
    return performance.now() - this.#since > TURN_MS;
  }

  /** Waits for the next turn; throws where the work is not wanted any more. */
  async next(signal?: AbortSignal): Promise<void> {
    await new Promise<void>((begin) => {
      queue.push(begin);
      if (isDealing) return;
      isDealing = true;
      setImmediate(deal);
    });
    signal?.throwIfAborted();
    this.#since = performance.now();
  }
}

function deal(): void {
  roundSince = performance.now();
  dealNext();
}

function dealNext(): void {
  queue.shift()!();
  // Behind all that whoever has the turn does at once.
  queueMicrotask(() => process.nextTick(dealMore));
}

function dealMore(): void {
  if (queue.length === 0) isDealing = false;
  else if (performance.now() - roundSince <= TURN_MS) dealNext();
  else setImmediate(deal);
}
