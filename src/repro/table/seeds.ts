import { join } from 'node:path';
import { UsageError } from '../../base/errors.js';
import { mean } from '../../base/numbers/mean.js';

/** What a table is made with, as far as its seeds decide it. */
interface Seeded {
  out: string;
  set: string[];
  seeds?: readonly number[];
}

/** The options of each seed's rows: a folder of its own, and the seed for every recipe. Without seeds, the options as they are. */
export function optionsOfSeeds<Options extends Seeded>(options: Options): Options[] {
  const { out, set, seeds } = options;
  if (!seeds) return [options];
  const seedSet = set.find((setting) => /^seed\s*=/.test(setting));
  if (seedSet !== undefined) {
    throw new UsageError(`expected the seed of all rows by --seeds alone, got --set ${seedSet}, too`, {
      hint: 'leave one of them out',
    });
  }
  if (new Set(seeds).size < seeds.length) {
    throw new UsageError(`expected seeds that differ, got ${seeds.join(', ')}`, { hint: 'name each once' });
  }
  return seeds.map((seed) => ({
    ...options,
    seeds: [seed],
    out: join(out, `seed-${seed}`),
    set: [...set, `seed=${seed}`],
  }));
}

/** The mean of each measure over seeds. */
export function meanOfMeasures(all: readonly Record<string, number>[]): Record<string, number> {
  const names = Object.keys(all[0]);
  return Object.fromEntries(names.map((name) => [name, mean(all.map((measures) => measures[name]))]));
}

/** The mean of each query's value over seeds. */
export function meanOfQueries(all: readonly Float64Array[]): Float64Array {
  return all[0].map((_, query) => mean(all.map((values) => values[query])));
}
