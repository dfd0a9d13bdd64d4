import { WIDTH } from './frame.js';
import { type Marker, markerPath } from './marker.js';
import { element, escapeMarkup, text } from './markup.js';
import { makeScale } from './scale.js';
import { PLOT_STYLE, seriesStyle } from './style.js';

export interface ScatterGroup {
  label: string;
  marker: Marker;
  /** Drawn later and larger than the others. */
  large?: boolean;
  points: readonly { x: number; y: number; label: string }[];
}

export interface ScatterPlot {
  title: string;
  groups: readonly ScatterGroup[];
}

const HEIGHT = 470;
const TOP = 58;
const MARGIN = 16;

/** Points in a plane whose axes mean nothing, as t-SNE and UMAP lay them out; each says what it is when pointed at. */
export function scatterPlot({ title, groups }: ScatterPlot): string {
  const all = groups.flatMap(({ points }) => points);
  const axis = (values: number[], range: readonly [number, number]) =>
    makeScale({ kind: 'linear', values, range, tight: true });
  const x = axis(
    all.map((point) => point.x),
    [MARGIN + 8, WIDTH - MARGIN - 8],
  );
  const y = axis(
    all.map((point) => point.y),
    [HEIGHT - MARGIN - 8, TOP + 12],
  );
  const drawn = groups.map(({ marker, large, points, label }, nth) => ({
    large,
    markup: points.map((point) =>
      element(
        'path',
        {
          class: seriesStyle(nth).class,
          d: markerPath(marker, large ? 7 : 3.4),
          transform: `translate(${x.at(point.x).toFixed(1)} ${y.at(point.y).toFixed(1)})`,
          'fill-opacity': large ? 1 : 0.6,
          'stroke-width': 0.8,
        },
        element('title', {}, escapeMarkup(`${label}: ${point.label}`)),
      ),
    ),
  }));
  return element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      width: WIDTH,
      height: HEIGHT,
      role: 'img',
      class: 'nm-plot',
    },
    [
      element('title', {}, escapeMarkup(title)),
      element('style', {}, PLOT_STYLE),
      element('rect', { class: 'nm-ground', width: WIDTH, height: HEIGHT }),
      text(title, { class: 'nm-ink', x: 14, y: 20, 'font-size': 14, 'font-weight': 600 }),
      ...legend(groups),
      element('rect', {
        class: 'nm-rule',
        x: MARGIN,
        y: TOP,
        width: WIDTH - 2 * MARGIN,
        height: HEIGHT - TOP - MARGIN,
      }),
      ...drawn.flatMap(({ large, markup }) => (large ? [] : markup)),
      ...drawn.flatMap(({ large, markup }) => (large ? markup : [])),
    ].join('\n'),
  );
}

function legend(groups: readonly ScatterGroup[]): string[] {
  let left = 22;
  return groups.flatMap(({ label, marker }, nth) => {
    const at = left;
    left += 26 + label.length * 6;
    return [
      element('path', {
        class: seriesStyle(nth).class,
        d: markerPath(marker, 4.5),
        transform: `translate(${at} 41)`,
      }),
      text(label, { class: 'nm-ink', x: at + 10, y: 45 }),
    ];
  });
}
