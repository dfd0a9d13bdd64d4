import { whole } from '../../base/settings.js';
import { negativesKind } from '../kind.js';
import { RandomSource } from '../random.js';

export const randomKind = negativesKind({
  name: 'random',
  description: 'anywhere in the collection',
  options: { count: whole(1).default(1).describe('negatives for each query and step') },
  async open(_, context) {
    const source = new RandomSource(context);
    return { at: async () => source };
  },
});
