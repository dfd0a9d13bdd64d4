import type { RegisterCommand } from '../../command.js';
import { addFleetOptions } from '../../fleet/fleet-options.js';
import { numberBetween, wholeNumber } from '../../options/option-parsers.js';
import type { GenerateFlags } from './generate-command.js';

const EXAMPLES = `
Examples:
  nearmiss train --data data/squad --recipe query-generator --out runs/generator
  nearmiss generate data/mine --generator runs/generator --count 5 --out queries.jsonl
  nearmiss generate data/mine --generator models/doc2query-t5 --count 40 --out queries.jsonl    a T5 from Hugging Face
  nearmiss generate data/mine --generator http://localhost:11434/v1 --generator-model llama3.2 --shots 3 --out queries.jsonl
  nearmiss expand data/mine --queries queries.jsonl --out data/mine-expanded
  nearmiss generate data/mine --generator runs/generator --count 3 --out queries.jsonl --collection data/mine-generated
  nearmiss train --data data/mine-generated --out runs/mine        queries that nobody had to write

Writes queries that each document answers, one line of JSON a passage. Stopped or killed, the same command goes on behind the
last finished passage. A service's key is taken from the environment variable NEARMISS_GENERATOR_KEY.`;

/** `nearmiss generate`: queries for documents. */
export const registerGenerate: RegisterCommand = (program) => {
  const generate = program
    .command('generate')
    .summary('write queries that documents answer')
    .description(
      'Writes queries for every document with a trained generator, a T5 or a language model elsewhere.',
    )
    .argument('<data>', 'a BEIR folder, or any collection that "nearmiss data import" reads')
    .requiredOption(
      '--generator <run|dir|url>',
      'a run of the recipe query-generator, a T5’s folder or hub id, or the address of an OpenAI-compatible service',
    )
    .requiredOption('--out <file>', 'the queries, as JSONL')
    .option('--count <n>', 'queries for each passage', wholeNumber(1), 5)
    .option('--collection <dir>', 'also a BEIR folder whose training queries are these; other splits stay')
    .option('--split-words <n>', 'read long documents in passages of at most n words', wholeNumber(20))
    .option('--limit <n>', 'only the first n documents', wholeNumber(1))
    .option('--top-k <n>', 'draw among the n most probable tokens; 0 for all', wholeNumber(0), 10)
    .option('--top-p <p>', '… and of these the most probable with this share in all', numberBetween(0, 1), 1)
    .option('--temperature <t>', 'below 1 less, above 1 more variety', numberBetween(0, 10), 1)
    .option(
      '--beams <n>',
      'look for the most probable queries with n beams instead of drawing',
      wholeNumber(0),
      0,
    )
    .option('--length-penalty <x>', 'of beams: above 0 favours longer queries', numberBetween(-10, 10), 1)
    .option('--min-tokens <n>', 'fewest tokens of a query', wholeNumber(0), 0)
    .option('--max-tokens <n>', 'most tokens of a query (default: as the model was trained)', wholeNumber(1))
    .option(
      '--repetition-penalty <x>',
      'above 1: tokens that were written become less probable',
      numberBetween(0.01, 100),
      1,
    )
    .option('--no-repeat <n>', 'no run of n tokens comes twice in a query; 0 allows it', wholeNumber(0), 0)
    .option('--seed <n>', 'same seed, same queries', wholeNumber(0), 1)
    .option('--generator-model <name>', 'which model of a service')
    .option('--prompt <file>', 'another prompt for a service, with {passage}, {count} and {examples}')
    .option(
      '--shots <n>',
      'training queries of the collection that a service is shown as examples',
      wholeNumber(0),
      0,
    )
    .option('--concurrency <n>', 'requests to a service at a time', wholeNumber(1), 4)
    .option('--per-minute <n>', 'requests to a service in a minute, at most', wholeNumber(1))
    .option('--retries <n>', 'how often a failed request is sent again', wholeNumber(0), 5)
    .option('--timeout <s>', 'seconds that an answer may take', numberBetween(0.01, 86_400), 120)
    .option('--price <read,written>', 'prices of a million tokens, to show the cost')
    .option('--threads <n>', 'threads (default: all cores)', wholeNumber(1))
    .option('--quiet', 'no progress on stderr')
    .option('--json', 'print what was done as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (path: string, flags: GenerateFlags) => {
      const { generateCommand } = await import('./generate-command.js');
      await generateCommand(path, flags);
    });
  addFleetOptions(generate, 'write');
};
