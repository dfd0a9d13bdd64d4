import { text } from '../../base/settings.js';
import { Random } from '../../engine/random.js';
import { readClusterFolder } from './cluster-folder.js';
import { type BatchOrder, type OrderContext, orderKind } from './order.js';

/**
 * Batches of one topic (TAS, Hofstätter et al. 2021): a random cluster, each as likely, and random examples of it. A cluster
 * that is too small is taken whole, and the next random one fills the batch.
 */
class TopicOrder implements BatchOrder {
  readonly #topics: readonly Int32Array[];
  readonly #context: OrderContext;

  constructor(topics: readonly Int32Array[], context: OrderContext) {
    this.#topics = topics;
    this.#context = context;
  }

  members(step: number, part: number): number[] {
    const { queries, seed, stage } = this.#context;
    const random = Random.from(seed, 'topic', stage, step, part);
    const topics = random.shuffle(Int32Array.from(this.#topics.keys()));
    const members: number[] = [];
    for (const topic of topics) {
      members.push(...random.shuffle(this.#topics[topic].slice()).subarray(0, queries - members.length));
      if (members.length === queries) break;
    }
    return members;
  }
}

export const topicKind = orderKind({
  name: 'topic',
  description: 'examples of one topic in each batch, which makes them near misses of each other (TAS)',
  options: {
    file: text('a path').describe('stage:NAME of a stage that clusters the training queries'),
  },
  async open({ file }, context) {
    return new TopicOrder(await readClusterFolder(await context.locate(file), context.count), context);
  },
});
