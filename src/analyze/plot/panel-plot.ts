import { type FigureText, Frame } from './frame.js';
import { type Area, drawGrid } from './grid.js';
import { drawSeries, type PlottedSeries } from './line-plot.js';
import { text } from './markup.js';
import { makeScale, type ScaleKind } from './scale.js';

export interface PanelPlot extends FigureText {
  /** Series of the same place are the same in all panels; what a panel lacks is left empty in it. */
  panels: readonly { title: string; series: readonly PlottedSeries[] }[];
  scales?: { y?: ScaleKind };
}

const COLUMNS = 2;
const PANEL_HEIGHT = 150;
/** Above each panel. */
const NAME_HEIGHT = 18;
/** For the ticks between panels. */
const GAP = { across: 46, down: 28 };
const ROW_HEIGHT = NAME_HEIGHT + PANEL_HEIGHT + GAP.down;

/** Small line plots beside each other, one for each part of something, over the same x and each with its own y. */
export function panelPlot(plot: PanelPlot): string {
  const { panels, scales = {} } = plot;
  const labels = panels[0]?.series.map(({ label }) => label) ?? [];
  const areaHeight = Math.ceil(panels.length / COLUMNS) * ROW_HEIGHT - GAP.down;
  const frame = new Frame({ ...plot, legend: labels.length > 1 ? labels : [], areaHeight });
  const xs = panels.flatMap(({ series }) => series.flatMap(({ x }) => x));
  return frame.renderPanels(
    panels.flatMap(({ title, series }, nth) => {
      const area = panelArea(frame.area, nth);
      const x = makeScale({ kind: 'linear', values: xs, range: [area.left, area.right], tight: true });
      const y = makeScale({
        kind: scales.y ?? 'linear',
        values: series.flatMap((one) => [...one.y, ...(one.low ?? []), ...(one.high ?? [])]),
        range: [area.bottom, area.top],
      });
      return [
        text(title, { class: 'nm-ink', x: area.left, y: area.top - 7, 'font-weight': 600 }),
        ...drawGrid(area, { x, y }),
        ...series.flatMap((one, place) => drawSeries(one, place, x, y)),
      ];
    }),
  );
}

function panelArea({ left, right, top }: Area, nth: number): Area {
  const width = (right - left - GAP.across * (COLUMNS - 1)) / COLUMNS;
  const [column, row] = [nth % COLUMNS, Math.floor(nth / COLUMNS)];
  const from = { x: left + column * (width + GAP.across), y: top + row * ROW_HEIGHT + NAME_HEIGHT };
  return { left: from.x, right: from.x + width, top: from.y, bottom: from.y + PANEL_HEIGHT };
}
