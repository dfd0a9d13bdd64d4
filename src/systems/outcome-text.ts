import { count } from '../base/progress.js';
import { formatTable } from '../base/table.js';
import { CHANCE } from '../run/choose-best.js';
import type { DevOutcome } from './measure-run.js';
import type { SystemName, SystemsTable } from './system.js';

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

/** The systems side by side, for people. */
export function systemsTable({ split, queries, measure, rows, best }: SystemsTable): string {
  const measures = Object.keys(rows[0].measures);
  const header = [`${split}, ${count(queries)} queries`, ...measures, `p against start (${measure})`, ''];
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
  const lines = [USE[outcome.best](run)];
  if (outcome.verdict !== 'better') lines.push(...disappointment(outcome));
  if (outcome.queries < FEW_QUERIES) {
    lines.push(
      `${count(outcome.queries)} ${outcome.split} queries are few: these figures mean little; judge by your own searches.`,
    );
  }
  return `${lines.join('\n')}\n`;
}

const USE: Record<SystemName, (run: string) => string> = {
  start: (run) =>
    `Use the model as published: ${run}/best is that model, and nearmiss search ${run} uses it.`,
  bm25: (run) =>
    `Use BM25: words alone find more here than the model does: nearmiss search ${run} --mode bm25.`,
  hybrid: (run) =>
    `Use the hybrid: BM25 and the model together are better than either; nearmiss search ${run} does that by default.`,
  trained: (run) => `Use the trained model: it is in ${run}/best, and nearmiss search ${run} uses it.`,
};

function disappointment({ verdict, labels, rows, measure }: DevOutcome): string[] {
  const trained = rows.find(({ system }) => system === 'trained');
  const how = verdict === 'worse' ? 'made the model worse' : 'brought nothing that could not be chance';
  const reasons = [
    labels < FEW_LABELS && `few labels (${count(labels)} queries to learn from): more of them help most`,
    'labels that are wrong or incomplete, so that right answers count as wrong: look at some with nearmiss data stats, or lower relativeMargin',
    'a learning rate or a number of steps that does not fit: --set optimizer.learningRate=1e-5, or nearmiss tune',
    'a model that is good at this already',
  ].filter((reason) => reason !== false);
  const figure = trained
    ? ` (${measure} ${trained.measures[measure].toFixed(4)}, p < ${CHANCE} was asked for)`
    : '';
  return [`Training ${how}${figure}. Likely reasons:`, ...reasons.map((reason) => `  - ${reason}`)];
}

function chance(p: number): string {
  return p < 0.0001 ? '< .0001' : p.toFixed(4).replace(/^0/, '');
}
