import { availableParallelism } from 'node:os';
import { Option } from 'commander';
import { docPage } from '../../base/package-files.js';
import type { RegisterCommand } from '../command.js';
import { wholeNumber } from '../options/option-parsers.js';
import { print, printJson, tell } from '../output.js';

interface DemoFlags {
  out: string;
  quick?: boolean;
  full?: boolean;
  seed: number;
  threads?: number;
  json?: boolean;
  quiet?: boolean;
}

const EXAMPLES = `
Examples:
  nearmiss demo                         in ./nearmiss-demo; after Ctrl-C, the same command goes on
  nearmiss demo --quick                 every step in half a minute; too small for meaningful figures
  nearmiss demo --full --out big        all 82,000 nouns of WordNet
  nearmiss demo --json --quiet | jq '.rows[] | {system, rr: .measures["RR@10"]}'

The table, the examples and what to do next are printed, and kept in OUT/results.json. ${docPage('demo')} says how the data
are made and how the settings were found.`;

/** `nearmiss demo`: the whole way from data to a better retriever, on WordNet. */
export const registerDemo: RegisterCommand = (program) => {
  program
    .command('demo')
    .summary('see it work: train a reverse dictionary in a few minutes')
    .description(
      'Builds a reverse dictionary from WordNet, trains MiniLM on it with ANCE, and compares it with BM25, MiniLM as it comes and random negatives.',
    )
    .option('--out <dir>', 'folder for the data, the runs and the report', 'nearmiss-demo')
    .option('--full', 'all nouns of WordNet')
    .addOption(new Option('--quick', 'few nouns and few steps, to see every part').conflicts('full'))
    .option('--seed <n>', 'decides the sample, the splits and the batches', wholeNumber(0), 42)
    .option('--threads <n>', 'threads to compute with (default: all cores)', wholeNumber(1))
    .option('--json', 'print the outcome as JSON')
    .option('--quiet', 'only the outcome')
    .addHelpText('after', EXAMPLES)
    .action(demoCommand);
};

async function demoCommand(flags: DemoFlags): Promise<void> {
  const [
    { busyWarning, checkMachine, machineState },
    { DEMO_SIZES },
    { introText, outcomeText },
    { prepareDemo },
  ] = await Promise.all([
    import('../demo/check-machine.js'),
    import('../demo/sizes.js'),
    import('../demo/text.js'),
    import('../demo/demo.js'),
  ]);
  const { out, seed, quiet, threads = availableParallelism() } = flags;
  const size = DEMO_SIZES[flags.full ? 'full' : flags.quick ? 'quick' : 'default'];
  const say = (text: string): void => void (quiet || tell(`${text}\n`));
  const goOn = 'Stopped; nothing is lost. The same command goes on from here.';
  const state = await machineState(out);
  const { demo, begun } = await prepareDemo({ size, out, seed, threads, quiet, goOn }, (begun) =>
    checkMachine({ needs: size.needs, state, folder: out, begun }),
  );
  const warning = busyWarning(size.needs, state);
  say(begun ? `Goes on with ${out}.` : introText(size, { folder: out, threads }));
  if (warning) say(`nearmiss: ${warning}`);
  const outcome = await demo.run();
  if (!outcome) {
    say(goOn);
    process.exitCode = 130;
    return;
  }
  if (flags.json) printJson(outcome);
  else print(outcomeText(outcome));
}
