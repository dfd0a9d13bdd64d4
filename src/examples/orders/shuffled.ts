import { Random } from '../../engine/index.js';
import { type BatchOrder, type OrderContext, orderKind } from './order.js';

/** All examples in a new random order in each epoch; an epoch's last batch goes on with the next one's first examples. */
class ShuffledOrder implements BatchOrder {
  readonly #context: OrderContext;
  #epoch = -1;
  #order = new Int32Array();

  constructor(context: OrderContext) {
    this.#context = context;
  }

  members(step: number, part: number): number[] {
    const { queries, accumulate } = this.#context;
    const first = (step * accumulate + part) * queries;
    // Where an epoch ends within a batch, an example may come twice: once is enough.
    return [...new Set(Array.from({ length: queries }, (_, i) => this.#at(first + i)))];
  }

  /** The example at a place of the endless sequence of shuffled epochs. */
  #at(place: number): number {
    const { count, seed, stage } = this.#context;
    const epoch = Math.floor(place / count);
    if (epoch !== this.#epoch) {
      this.#epoch = epoch;
      const order = Int32Array.from({ length: count }, (_, i) => i);
      this.#order = Random.from(seed, 'order', stage, epoch).shuffle(order);
    }
    return this.#order[place % count];
  }
}

export const shuffledKind = orderKind({
  name: 'shuffled',
  description: 'all examples in a new random order in each epoch',
  options: {},
  open: async (_, context) => new ShuffledOrder(context),
});
