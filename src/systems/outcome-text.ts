import { count, counted } from '../base/progress.js';
import { formatTable } from '../base/table.js';
import { GENERATED_SPLIT } from '../data/made-splits.js';
import { CHANCE } from '../run/choose-best.js';
import type { DevOutcome } from './measure-run.js';
import type { Verdict } from './recommend.js';
import type { SystemName, SystemsPart, SystemsTable } from './system.js';

const LABELS: Record<SystemName, string> = {
  start: 'start (the model as published)',
  bm25: 'BM25 (words)',
  hybrid: 'hybrid (BM25 and the model served)',
  trained: 'trained',
};

/** Fewer dev queries than this tell little. */
const FEW_QUERIES = 50;
/** Fewer queries to learn from than this teach little. */
const FEW_LABELS = 200;
/** What words and a model find at least where labels belong to the documents. */
const HOPELESS = 0.1;
/** From here on little is left to win. */
const GOOD = 0.8;

/** The systems side by side, for people. */
export function systemsTable(table: SystemsTable): string {
  return table.parts ? `${allQueries(table)}\n${byPart(table, table.parts)}` : allQueries(table);
}

/** What the measure that decides is where documents have labels, and where they have none. */
function byPart({ measure }: SystemsTable, parts: readonly SystemsPart[]): string {
  const systems = parts[0].rows.map(({ system }) => system);
  const header = [`${measure}, documents`, 'queries', ...systems];
  return formatTable({
    header,
    numeric: header.map((_, i) => i > 0),
    rows: parts.map(({ documents, queries, rows }) => [
      documents,
      count(queries),
      ...rows.map(({ measures }) => measures[measure].toFixed(4)),
    ]),
  });
}

function allQueries({ split, queries, measure, rows, best }: SystemsTable): string {
  const measures = Object.keys(rows[0].measures);
  const header = [
    `${split}, ${counted(queries, 'query', 'queries')}`,
    ...measures,
    `p against start (${measure})`,
    '',
  ];
  return formatTable({
    header,
    numeric: header.map((_, i) => i > 0 && i <= measures.length + 1),
    rows: rows.map((row) => [
      LABELS[row.system],
      ...measures.map((name) => row.measures[name].toFixed(4)),
      row.pValueAgainstStart === undefined ? '–' : chance(row.pValueAgainstStart),
      row.system === best ? '← use this' : '',
    ]),
  });
}

/** What to do now, in one sentence, and why where training has not helped. */
export function adviceText(outcome: DevOutcome, run: string): string {
  const lines = [useText(outcome, run)];
  if (outcome.split === GENERATED_SPLIT && outcome.serves === 'trained') lines.push(OVERRATED);
  if (outcome.verdict === 'narrow') lines.push(narrowness(outcome));
  else if (outcome.verdict !== 'better') lines.push(...disappointment(outcome, outcome.verdict));
  if (outcome.queries < FEW_QUERIES) {
    lines.push(
      `${counted(outcome.queries, `${outcome.split} query is`, `${outcome.split} queries are`)} few: these figures mean little; judge by your own searches.`,
    );
  }
  return `${lines.join('\n')}\n`;
}

/** Of a model that learned what a generator asks, and was measured by what it asks. */
const OVERRATED =
  "The trained model is judged by queries of the generator that it learned from, which overrate it: one that answered these much better answered people's questions worse (docs/generation.md). Compare it with the model as published by your own searches, or take nearmiss adapt --generate, which judges by other queries.";

/** What to search with. */
export function useText(outcome: DevOutcome, run: string): string {
  return isJudged(outcome) || outcome.best === 'start' ? USE[outcome.best](run, outcome) : both(run, outcome);
}

/** Whether people's labels have measured it, and not queries that were made of the documents. */
function isJudged({ hybrid }: DevOutcome): boolean {
  return hybrid !== undefined;
}

const USE: Record<SystemName, (run: string, outcome: DevOutcome) => string> = {
  start: (run, { published, serves }) =>
    published === undefined
      ? `Use the model as published: ${run}/best is that model, and nearmiss search ${run} uses it.`
      : `Use the model as published: nearmiss search ${published.data} --model ${published.model}. The run began with a part of it, and ${run}/best is that part${serves === 'trained' ? ', trained' : ' untrained'}.`,
  bm25: (run) =>
    `Use BM25: words alone find more here than the model does: nearmiss search ${run} --mode bm25.`,
  hybrid: (run) =>
    `Use the hybrid: BM25 and the model together are better than either; nearmiss search ${run} does that by default.`,
  trained: (run) => `Use the trained model: it is in ${run}/best, and nearmiss search ${run} uses it.`,
};

/** Where only queries that were made of the documents have judged, and so nothing about words. */
function both(run: string, { serves, published }: DevOutcome): string {
  const began = published === undefined ? 'the model as published' : 'what the run began with';
  const model = serves === 'trained' ? 'the trained model' : began;
  return [
    `Use the hybrid: nearmiss search ${run} and serve ask BM25 and ${model} together by default; --mode dense takes the model alone.`,
    "Nobody's questions have judged that, and queries made of the documents cannot: they have their words.",
    'Of models as published, both together were better than vectors alone on every collection measured without labels (docs/search.md).',
  ].join(' ');
}

/** Documents that are added later have no labels: who serves a model that lost there is to know it. */
function narrowness({ parts, measure, serves, published }: DevOutcome): string {
  const { queries, rows } = parts!.find(({ documents }) => documents === 'without labels')!;
  const [start, trained] = ['start', 'trained'].map((name) =>
    rows.find(({ system }) => system === name)!.measures[measure].toFixed(4),
  );
  const chosen =
    serves === 'start'
      ? `so ${published === undefined ? 'the model as published' : 'what the run began with'} stays; where labelled documents are all that is asked for, --set evaluation.choose=best takes the trained one.`
      : 'yet it is served, as the recipe chooses by all queries together.';
  return `Training helped where documents have labels, and lost where they have none (${measure} ${trained}, the start ${start}, on ${count(queries)} queries), ${chosen}`;
}

/** What is said of trainings that have not helped. */
type Disappointing = Exclude<Verdict, 'better' | 'narrow'>;

const HOW: Record<Disappointing, string> = {
  worse: 'Training made the model worse',
  level: 'Training brought nothing that could not be chance',
};

/** Where a part of a model was trained: it may have learned much, and still be behind the whole. */
const HOW_OF_PART: Record<Disappointing, string> = {
  worse: 'What was trained finds less than the whole model as published',
  level: 'What was trained is not better than the whole model as published by more than chance',
};

function disappointment(outcome: DevOutcome, verdict: Disappointing): string[] {
  const { labels, rows, measure, published } = outcome;
  const values = Object.fromEntries(rows.map((row) => [row.system, row.measures[measure]]));
  const { start, bm25, trained } = values as Partial<Record<SystemName, number>>;
  const reasons = [
    published !== undefined &&
      'a part of the model: the run began with fewer layers, shorter texts or another head (model.layers, model.maxLength, model.head) than it was published with; nearmiss train without --recipe trains all of it',
    isJudged(outcome)
      ? wrongLabels(Math.max(start ?? 0, bm25 ?? 0))
      : 'queries that were made of the documents: a model that knows their language answers most of them already',
    labels < FEW_LABELS &&
      `few ${isJudged(outcome) ? 'labels' : 'made queries'} (${count(labels)} queries to learn from): more of them help most`,
    `a learning rate or a number of steps that does not fit: ${verdict === 'worse' ? '--set optimizer.learningRate=1e-5, or ' : ''}nearmiss tune`,
    (start ?? 0) > GOOD && 'a model that is good at this already',
  ].filter((reason) => reason !== false);
  const figure =
    trained === undefined
      ? ''
      : ` (${measure} ${trained.toFixed(4)}, p < ${outcome.chance ?? CHANCE} was asked for)`;
  const how = published === undefined ? HOW[verdict] : HOW_OF_PART[verdict];
  return [`${how}${figure}. Likely reasons:`, ...reasons.map((reason) => `  - ${reason}`)];
}

/** @param best what the start or words find */
function wrongLabels(best: number): string {
  return best < HOPELESS
    ? 'labels that are wrong: neither the model nor words find what they say; look at some with nearmiss data stats'
    : 'labels that are wrong or incomplete, so that right answers count as wrong: look at some with nearmiss data stats, or lower relativeMargin';
}

function chance(p: number): string {
  return p < 0.0001 ? '< .0001' : p.toFixed(4).replace(/^0/, '');
}
