import { barPlot } from '../plot/bar-plot.js';
import { escapeMarkup } from '../plot/markup.js';
import type { Quality, QualityCase, QualityHit } from '../quality/quality.js';
import { formatNumber } from './format.js';
import type { PageSection } from './html.js';

const ABOUT =
  'All systems on the same queries. The hybrid fuses the ranks of BM25 and the trained model (RRF). * marks a difference from BM25 with p < .05 (paired t-test, corrected after Holm over the systems).';

/** The quality of a run as a part of its report, with the cases where the model gains and loses most. */
export function qualitySection(
  quality: Quality,
  cases: { gains: readonly QualityCase[]; losses: readonly QualityCase[] },
): PageSection {
  const { split, systems, measures, queries } = quality;
  const cell = ({ means, against }: Quality['systems'][number], measure: string): string =>
    `${formatNumber(means[measure])}${against?.[measure]?.significant ? ' *' : ''}`;
  const against = systems.find(({ name }) => name === 'model')?.against ?? {};
  return {
    id: 'quality',
    title: `Quality on ${split}`,
    about: ABOUT,
    figures: [
      {
        name: 'quality',
        section: 'quality',
        svg: barPlot({
          title: `Systems on ${queries.length} ${split} queries`,
          x: 'mean over the queries',
          y: '',
          series: [...measures],
          rows: systems.map(({ name, means }) => ({
            label: { bm25: 'BM25', base: 'base model', start: 'start', model: 'trained', hybrid: 'hybrid' }[
              name
            ],
            values: measures.map((measure) => means[measure]),
          })),
          include: [0, 1],
          format: formatNumber,
        }),
      },
    ],
    tables: [
      {
        section: 'quality',
        title: `${queries.length} queries of ${split}, ${quality.documents} documents`,
        header: ['system', ...measures],
        rows: systems.map((system) => [system.label, ...measures.map((measure) => cell(system, measure))]),
        numeric: [false, ...measures.map(() => true)],
      },
      {
        section: 'quality',
        title: 'The trained model against BM25, query by query',
        header: ['measure', 'wins', 'ties', 'losses', 'difference', 'p'],
        rows: Object.entries(against).map(([measure, { wins, ties, losses, difference, p }]) => [
          measure,
          ...[wins, ties, losses].map(String),
          ...[difference, p].map(formatNumber),
        ]),
        numeric: [false, true, true, true, true, true],
      },
    ],
    more: `${casesMarkup('Where training gains most over BM25 (nDCG@10)', cases.gains)}
${casesMarkup('Where it loses most', cases.losses)}`,
  };
}

function casesMarkup(title: string, cases: readonly QualityCase[]): string {
  if (cases.length === 0) return '';
  return `<h3>${escapeMarkup(title)}</h3>\n${cases.map(caseMarkup).join('\n')}`;
}

function caseMarkup({ text, lists }: QualityCase): string {
  return `<details><summary>${escapeMarkup(text)}</summary><div class="pair">
<div><h4>BM25</h4>${listMarkup(lists.bm25)}</div>
<div><h4>trained model</h4>${listMarkup(lists.model)}</div>
</div></details>`;
}

function listMarkup(hits: readonly QualityHit[]): string {
  if (hits.length === 0) return '<p class="soft">nothing found</p>';
  const items = hits.map(({ title, excerpt, id, grade }) => {
    const relevant = grade !== undefined && grade > 0;
    const name = escapeMarkup(title ?? excerpt.slice(0, 90));
    const mark = relevant ? '<span class="good">✓ relevant</span> ' : '';
    return `<li>${mark}${name} <span class="soft">${escapeMarkup(id)}</span></li>`;
  });
  return `<ol>${items.join('')}</ol>`;
}
