import type { RegisterCommand } from '../../command.js';
import { numberBetween, wholeNumber } from '../../options/option-parsers.js';
import { tell } from '../../output.js';

interface FleetWorkerFlags {
  queue: string;
  store: string;
  threads?: number;
  lock: number;
  quiet?: boolean;
}

const EXAMPLES = `
Examples:
  nearmiss fleet worker --queue redis://queue:6379 --store /shared/fleet
  nearmiss encode data/big --model minilm --output big.npy --queue redis://queue:6379 --store /shared/fleet

Every worker, and whoever asks them, names the same Redis and the same folder; texts, models and vectors go through the folder, Redis
holds only which shards there are. Ctrl-C ends a worker after its shard; one that was killed loses its shard to another after
--lock seconds.`;

/** `nearmiss fleet …`: machines that encode for others. */
export const registerFleet: RegisterCommand = (program) => {
  const fleet = program
    .command('fleet')
    .summary('encode on many machines')
    .description('Machines that encode for others, which ask through a queue.')
    .addHelpText('after', EXAMPLES);
  fleet
    .command('worker')
    .summary('encode, score and write what others ask for')
    .description(
      'Takes shards of encode, index, train, label and generate from a queue, until it is stopped.',
    )
    .requiredOption('--queue <url>', 'a Redis, redis://HOST:PORT')
    .requiredOption('--store <place>', 'a folder that all of them see, or s3://BUCKET/PREFIX')
    .option('--threads <n>', 'threads (default: all cores)', wholeNumber(1))
    .option(
      '--lock <seconds>',
      'after which another worker takes over from one that is silent',
      numberBetween(1, 3600),
      60,
    )
    .option('--quiet', 'nothing on stderr but errors')
    .addHelpText('after', EXAMPLES)
    .action(fleetWorkerCommand);
};

async function fleetWorkerCommand({ lock, quiet, ...flags }: FleetWorkerFlags): Promise<void> {
  const { runFleetMember } = await import('../../../fleet/index.js');
  const stop = new AbortController();
  const leave = (): void => stop.abort();
  process.once('SIGINT', leave).once('SIGTERM', leave);
  const say = (line: string): void => {
    if (!quiet) tell(`${line}\n`);
  };
  let shards = 0;
  await runFleetMember({
    ...flags,
    lockSeconds: lock,
    signal: stop.signal,
    onReady: () => say('fleet worker: listening'),
    onShard: ({ task, items, seconds }) =>
      say(`shard ${++shards}: ${task} ${items} in ${seconds.toFixed(1)} s`),
    onNote: say,
    onError: (message) => tell(`a shard failed here: ${message}\n`),
  });
  process.off('SIGINT', leave).off('SIGTERM', leave);
}
