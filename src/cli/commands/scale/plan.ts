import { InvalidArgumentError, Option } from 'commander';
import type { RegisterCommand } from '../../command.js';
import { numberBetween, wholeNumber } from '../../options/option-parsers.js';
import { print, printJson } from '../../output.js';
import type { ScaleAnswer, ScaleQuestion } from '../../plan/plan-scale.js';
import { checkStorage } from '../vectors/index-flags.js';

const EXAMPLES = `
Examples:
  nearmiss plan --documents 1e6
  nearmiss plan --documents 1e8 --workers 32 --cores 8 --memory 64 --precision int8 --index hnsw --storage i8
  nearmiss plan --documents 1e7 --dimension 64 --memory 4 --index int8
  nearmiss plan --documents 8e9 --dimension 64 --workers 500 --cores 16 --memory 128 --price 0.03 --json

The curves were measured on two cores with MiniLM (docs/scaling.md). What your machine encodes is what "nearmiss encode --json
--threads 1" says as tokensPerSecond: give it as --tokens-per-second.`;

/** `nearmiss plan` */
export const registerPlan: RegisterCommand = (program) => {
  program
    .command('plan')
    .summary('what a collection of some size will cost')
    .description('Says what it takes to encode, index and search a collection, by what was measured.')
    .requiredOption('--documents <n>', 'how many, such as 1e8', size)
    .option('--tokens <n>', 'of a document', wholeNumber(1), 128)
    .option('--dimension <n>', 'numbers in a vector', wholeNumber(1), 384)
    .option('--layers <n>', 'of the encoder', wholeNumber(1), 6)
    .option('--hidden-size <n>', 'of the encoder', wholeNumber(1), 384)
    .addOption(new Option('--precision <name>', 'of encoding').choices(['fp32', 'int8']).default('fp32'))
    .option('--tokens-per-second <n>', 'of one core, where you measured them', wholeNumber(1))
    .option('--workers <n>', 'machines', wholeNumber(1), 1)
    .option('--cores <n>', 'of a machine', wholeNumber(1), 2)
    .option('--memory <gb>', 'of a machine', numberBetween(0.1, 1e6), 16)
    .addOption(
      new Option('--index <type>', 'how it is searched')
        .choices(['flat', 'hnsw', 'int8', 'binary'])
        .default('flat'),
    )
    .addOption(new Option('--storage <type>', 'of vectors').choices(['f32', 'f16', 'i8']).default('f32'))
    .option('--queries <n>', 'to answer in a second', numberBetween(0, 1e9), 10)
    .option('--replicas <n>', 'copies of each shard', wholeNumber(1), 1)
    .option('--refreshes <n>', 'how often training encodes everything anew', wholeNumber(0), 0)
    .option('--price <money>', 'of a core for an hour', numberBetween(0, 1e6), 0.04)
    .option('--json', 'print the answer as JSON')
    .addHelpText('after', EXAMPLES)
    .action(planCommand);
};

type PlanFlags = Omit<ScaleQuestion, 'memoryGb' | 'queriesPerSecond'> & {
  memory: number;
  queries: number;
  json?: boolean;
};

async function planCommand({ memory, queries, json, ...flags }: PlanFlags): Promise<void> {
  checkStorage({ type: flags.index, storage: flags.storage }, '--index');
  const { planScale } = await import('../../plan/plan-scale.js');
  const answer = planScale({ ...flags, memoryGb: memory, queriesPerSecond: queries });
  if (json) printJson(answer);
  else print(describe(answer, flags));
}

function describe(
  { encode, index, search, training, network, diskGb, money, limits }: ScaleAnswer,
  flags: Omit<PlanFlags, 'memory' | 'queries'>,
): string {
  const lines = [
    `encode    ${short(encode.hours)} h on ${flags.workers} × ${flags.cores} cores (${short(encode.coreHours)} core hours at ${short(encode.tokensPerSecondOfCore)} tokens/s)`,
    `index     ${short(index.gigabytes)} GB in ${index.shards} shard${index.shards === 1 ? '' : 's'} of ${short(index.documentsPerShard)} documents${flags.index !== 'flat' ? `, built in ${short(index.buildHours)} h` : ''}`,
    `search    ${search.machines} machine${search.machines === 1 ? '' : 's'}, ${short(search.queriesPerSecond)} queries/s`,
    ...(flags.refreshes > 0
      ? [`training  ${short(training.refreshHours)} h for ${flags.refreshes} refreshes`]
      : []),
    `network   ${short(network.textGb)} GB of texts to the workers, ${short(network.vectorGb)} GB of vectors back`,
    `disk      ${short(diskGb)} GB`,
    `money     ${short(money.once)} once, ${short(money.month)} a month for search, at ${flags.price} a core hour`,
    ...limits.map((limit) => `breaks    ${limit}`),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** Three digits, and no more zeros than are needed. */
function short(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString('en-US', { maximumFractionDigits: 3 });
}

/** A whole number that may be written as 1e8. */
function size(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isSafeInteger(value) && value >= 1) return value;
  throw new InvalidArgumentError('Expected a whole number from 1, such as 1000000 or 1e8.');
}
