/** What a loop may take at a time: a request that asks for next to nothing waits no longer than this for it. */
const TURN_MS = 5;

const queue: (() => void)[] = [];
let isDealing = false;

/**
 * A share of this thread for a loop that takes long, so that timers and other people's requests get theirs. However many
 * such loops there are, one of them has a turn, then the event loop goes round, then the next has its turn.
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
  queue.shift()?.();
  if (queue.length > 0) setImmediate(deal);
  else isDealing = false;
}
