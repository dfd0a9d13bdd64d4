import { openGenerator, type Passage, type WriteOptions } from '../../generate/index.js';
import { readInput } from './read-input.js';
import type { FleetTask } from './task.js';

/** Passages to queries. */
export const generateTask: FleetTask = {
  name: 'generate',
  async open({ folder, settings, threads }) {
    const generator = await openGenerator(folder, {
      ...(settings as unknown as WriteOptions),
      session: { threads },
    });
    return {
      loaded: { fingerprint: generator.fingerprint },
      async compute(input) {
        const before = generator.spent.tokens;
        const queries = await generator.generate(readInput<Passage[]>(input));
        return Buffer.from(JSON.stringify({ queries, tokens: generator.spent.tokens - before }));
      },
    };
  },
};
