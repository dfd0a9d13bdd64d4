import type { AdaptOutcome, Judged, Prepared } from '../../../adapt/index.js';
import { readsEnglish } from '../../../adapt/reads-english.js';
import { count, formatDuration } from '../../../base/progress.js';
import type { DevOutcome, SystemsTable } from '../../../systems/index.js';
import { describedSources } from '../../described-sources.js';

const NOBODY_ASKED =
  'nothing in these documents was written as a query, so parts of their texts measure, which are poor judges: only what is beyond doubt (p < .0001) counts';

/** What will be done, and what there is to know before it is. */
export function planText(prepared: Prepared, seconds: number, out: string, model = 'minilm'): string {
  const { name, documents, sources, mix, made, questions, otherScripts, generated } = prepared;
  const list = (counts: Record<string, number>): string =>
    Object.entries(counts)
      .map(([maker, pairs]) => `${maker} ${count(pairs)}`)
      .join(', ');
  const lines = [
    `adapt ${model} to ${name}: ${describedSources(documents, sources)}: ${out}`,
    `learns from ${list(made.train)}; measures on ${questions >= 50 ? `${count(questions)} questions` : list(made.heldOut)}`,
    `takes about ${formatDuration(seconds)} on this machine if nothing else runs`,
  ];
  if (generated) {
    const { generator, documents: asked, written, kept } = generated;
    const led = kept < written ? `, of which ${count(kept)} lead back to their document` : '';
    lines.splice(1, 0, `${generator} wrote ${count(written)} queries for ${count(asked)} documents${led}`);
  }
  if (questions < 50 && !mix.natural) lines.push(NOBODY_ASKED);
  if (otherScripts > 0.3 && readsEnglish(model)) {
    lines.push(
      `${Math.round(100 * otherScripts)} % of the documents are not in Latin letters, and minilm reads English: --model takes another one`,
    );
  }
  return `${lines.join('\n')}\n`;
}

/** Why nothing was learned, and what to do. */
export function tooLittleText(source: string, { documents, sources, tooLittle }: Prepared): string {
  return `${[
    `Not adapted: ${describedSources(documents, sources)} ${documents === 1 ? 'is' : 'are'} too little to learn from: ${tooLittle}.`,
    'The model as published searches them as they are:',
    `  nearmiss serve ${source}`,
    'What helps: more documents, or longer ones; or questions with their answers, which nearmiss train learns from (docs/your-data.md).',
  ].join('\n')}\n`;
}

/** What came of it: the verdict, which is about vectors alone, and then how search uses the model. */
export async function outcomeText(outcome: AdaptOutcome): Promise<string> {
  const { run, test, adaptation } = outcome;
  const { judged } = adaptation;
  if (!outcome.finished || !judged) return '';
  const { formatTable } = await import('../../../base/table.js');
  const { systemsTable, useText } = await import('../../../systems/index.js');
  const { kinds, measure, split } = judged;
  const isMade = split === 'made';
  const found = outcome as AdaptOutcome & DevOutcome;
  const table = formatTable({
    header: [
      isMade ? 'held-out queries, by vectors alone' : 'questions, by vectors alone',
      'queries',
      `${measure} start`,
      'adapted',
      'p',
    ],
    numeric: [false, true, true, true, true],
    rows: kinds.map(({ kind, queries, start, adapted, p }) => [
      kind,
      count(queries),
      start.toFixed(4),
      adapted.toFixed(4),
      p < 0.0001 ? '< .0001' : p.toFixed(4).replace(/^0/, ''),
    ]),
  });
  return [
    table,
    // Questions of people can be asked of words, too.
    ...(isMade ? [] : [systemsTable(found)]),
    ...(test ? [systemsTable(test as SystemsTable)] : []),
    verdictText(outcome),
    useText(found, run),
    ...(judged.unread ? [UNREAD] : []),
    `  nearmiss serve ${servedBy(found, run)}`,
    '',
  ].join('\n');
}

const UNREAD =
  'These documents are not in Latin letters, and minilm reads English: words alone (--mode bm25) may find more than both together; --model takes a model that knows the language.';

function servedBy({ best, published }: DevOutcome, run: string): string {
  if (best === 'start' && published) return `${published.data} --model ${published.model}`;
  return best === 'bm25' ? `${run} --mode bm25` : run;
}

/** Queries that the start answers this well leave nothing to gain. */
const EASY = 0.98;

function verdictText({ run, published, adaptation: { verdict, judged } }: AdaptOutcome): string {
  const began = published === undefined ? 'the model as published' : 'what the run began with';
  const kept = `${run}/best is ${began}.`;
  if (verdict === 'better') {
    return `Better: its vectors answer them better than those of ${began}, by more than chance. The adapted model is in ${run}/best.${doubt(judged!)}`;
  }
  if (verdict === 'level' && judged!.kinds.every(({ start }) => start > EASY)) {
    return `Level: ${began} finds nearly all of them already, so they cannot show a difference. ${kept}${doubt(judged!)}`;
  }
  return verdict === 'level'
    ? `Level: what was learned makes no difference to the vectors that could not be chance. ${kept}${doubt(judged!)}`
    : `Not better: with what was learned, vectors answer them worse. ${kept}${doubt(judged!)}`;
}

/** How far queries can be trusted that nobody asked. */
function doubt({ split, natural }: Judged): string {
  if (split !== 'made') return '';
  return natural
    ? ' These queries were made of the documents; what people ask may differ: --questions with 50 of theirs decides better.'
    : ' These queries are parts of the documents, because nothing in them was written as a query, and poor judges: --questions with 50 of people decides better.';
}
