import type { PageSection } from '../../analyze/report/html.js';
import { DEMO_MEASURES, type DemoRow, MAIN_MEASURE } from './result.js';

/** What came out, before everything that explains it. */
export function resultsSection({ rows, test }: { rows: readonly DemoRow[]; test: number }): PageSection {
  return {
    id: 'results',
    title: 'Results',
    about: `On ${test} test definitions that no system was trained on. The last columns say how far ANCE is ahead of each by ${MAIN_MEASURE} (paired t-test, Holm-corrected), and on how many definitions it does better and worse.`,
    figures: [],
    tables: [
      {
        section: 'results',
        title: 'All systems',
        header: ['system', ...DEMO_MEASURES, 'steps', 'ANCE ahead by', 'p', 'better', 'worse'],
        rows: rows.map(({ system, steps, measures, ance }) => [
          system,
          ...DEMO_MEASURES.map((measure) => measures[measure].toFixed(3)),
          steps === 0 ? '–' : String(steps),
          ...(ance
            ? [ance.difference.toFixed(3), ance.p.toPrecision(2), String(ance.wins), String(ance.losses)]
            : ['', '', '', '']),
        ]),
        numeric: [false, ...DEMO_MEASURES.map(() => true), true, true, true, true, true],
      },
    ],
  };
}
