import type { Command } from 'commander';
import { UsageError } from '../../base/errors.js';
import type { FleetPlace } from '../../fleet/index.js';
import type { Precision } from '../../model/precision/precision.js';

/** What commands that can hand work to a fleet are told. */
export interface FleetFlags {
  queue?: string;
  store?: string;
}

/** Adds the options that hand the work of a command to the workers of a queue. */
export function addFleetOptions<C extends Command>(command: C, what: string): C {
  return command
    .option('--queue <url>', `let the workers of "nearmiss fleet worker" ${what}: redis://HOST:PORT`)
    .option('--store <place>', 'with --queue: a folder that all workers see, or s3://BUCKET/PREFIX') as C;
}

/** Where the fleet is; undefined where everything is done here. */
export function fleetOf(
  { queue, store }: FleetFlags,
  here: { precision?: Precision; provider?: string } = {},
): FleetPlace | undefined {
  if ((queue === undefined) !== (store === undefined)) {
    throw new UsageError('--queue and --store go together: a queue, and a store that all workers see', {
      hint: 'give both, or none to work here',
    });
  }
  if (queue === undefined || store === undefined) return undefined;
  if (here.precision === 'auto') {
    throw new UsageError(
      '--precision: expected fp32 or int8 with --queue, got auto, which depends on the machine',
      { hint: 'name one, so that all workers compute the same' },
    );
  }
  if (here.provider !== undefined) {
    throw new UsageError('--provider is for computing here: workers compute on their own processors', {
      hint: 'leave it out with --queue',
    });
  }
  return { queue, store };
}
