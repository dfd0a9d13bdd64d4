import { element, text } from './markup.js';
import type { Scale } from './scale.js';
import { PLOT_STYLE, seriesStyle } from './style.js';

/** What every figure says about itself. */
export interface FigureText {
  title: string;
  x: string;
  y: string;
}

/** Where the data of a figure go, in pixels. */
export interface Area {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export const WIDTH = 640;
const HEIGHT = 340;
const TITLE_HEIGHT = 30;
const LEGEND_LINE = 16;
/** Room for a character of the figure's font, which cannot be measured here. */
const CHARACTER = 6;

export interface FrameOptions extends FigureText {
  /** Names of the series, in the order of their styles; one series needs no legend. */
  legend?: readonly string[];
  /** Room for the labels left of the axis. */
  left?: number;
  height?: number;
}

/** The figure's ground, title, legend and axes; the caller draws the data into its area. */
export class Frame {
  readonly area: Area;
  readonly #options: FrameOptions;
  readonly #legend: { x: number; y: number; label: string }[];
  readonly #height: number;

  constructor(options: FrameOptions) {
    this.#options = options;
    this.#height = options.height ?? HEIGHT;
    this.#legend = placeLegend(options.legend ?? []);
    const lines = this.#legend.length === 0 ? 0 : this.#legend.at(-1)!.y / LEGEND_LINE + 1;
    this.area = {
      left: options.left ?? 62,
      right: WIDTH - 18,
      top: TITLE_HEIGHT + lines * LEGEND_LINE + 8,
      bottom: this.#height - 44,
    };
  }

  /** The whole figure as one SVG element that needs nothing else. */
  render(axes: { x?: Scale; y?: Scale }, data: readonly string[]): string {
    const { title } = this.#options;
    return element(
      'svg',
      {
        xmlns: 'http://www.w3.org/2000/svg',
        viewBox: `0 0 ${WIDTH} ${this.#height}`,
        width: WIDTH,
        height: this.#height,
        role: 'img',
        class: 'nm-plot',
      },
      [
        element('title', {}, text(title, {}).replace(/<\/?text>/g, '')),
        element('style', {}, PLOT_STYLE),
        element('rect', { class: 'nm-ground', width: WIDTH, height: this.#height }),
        text(title, { class: 'nm-ink', x: 14, y: 20, 'font-size': 14, 'font-weight': 600 }),
        ...this.#legendMarks(),
        ...this.#grid(axes),
        ...data,
        ...this.#labels(),
      ].join('\n'),
    );
  }

  #legendMarks(): string[] {
    return this.#legend.flatMap(({ x, y, label }, nth) => [
      element('line', {
        ...seriesStyle(nth),
        x1: 14 + x,
        x2: 32 + x,
        y1: TITLE_HEIGHT + y + 6,
        y2: TITLE_HEIGHT + y + 6,
        'stroke-width': 3,
      }),
      text(label, { class: 'nm-ink', x: 37 + x, y: TITLE_HEIGHT + y + 10 }),
    ]);
  }

  #grid({ x, y }: { x?: Scale; y?: Scale }): string[] {
    const { left, right, top, bottom } = this.area;
    const across = (y?.ticks ?? []).flatMap(({ value, label }) => [
      element('line', { class: 'nm-rule', x1: left, x2: right, y1: y!.at(value), y2: y!.at(value) }),
      text(label, { class: 'nm-soft', x: left - 7, y: y!.at(value) + 4, 'text-anchor': 'end' }),
    ]);
    const down = (x?.ticks ?? []).flatMap(({ value, label }) => [
      element('line', { class: 'nm-rule', x1: x!.at(value), x2: x!.at(value), y1: top, y2: bottom }),
      text(label, { class: 'nm-soft', x: x!.at(value), y: bottom + 15, 'text-anchor': 'middle' }),
    ]);
    const axis = element('path', { class: 'nm-axis', d: `M${left} ${top}V${bottom}H${right}` });
    return [...across, ...down, axis];
  }

  #labels(): string[] {
    const { left, right, top, bottom } = this.area;
    const middle = (top + bottom) / 2;
    return [
      text(this.#options.x, {
        class: 'nm-soft',
        x: (left + right) / 2,
        y: this.#height - 10,
        'text-anchor': 'middle',
      }),
      text(this.#options.y, {
        class: 'nm-soft',
        x: 14,
        y: middle,
        transform: `rotate(-90 14 ${middle})`,
        'text-anchor': 'middle',
      }),
    ];
  }
}

/** Entries beside each other, in as many lines as they need. */
function placeLegend(labels: readonly string[]): { x: number; y: number; label: string }[] {
  let [x, y] = [0, 0];
  const most = Math.floor((WIDTH - 70) / CHARACTER);
  return labels.map((full) => {
    const label = full.length > most ? `${full.slice(0, most - 1)}…` : full;
    const width = 23 + label.length * CHARACTER + 16;
    if (x > 0 && x + width > WIDTH - 20) {
      x = 0;
      y += LEGEND_LINE;
    }
    const placed = { x, y, label };
    x += width;
    return placed;
  });
}
