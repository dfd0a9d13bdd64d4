import { type Area, drawGrid } from './grid.js';
import { Legend } from './legend.js';
import { element, text } from './markup.js';
import type { Scale } from './scale.js';
import { PLOT_STYLE } from './style.js';

/** What every figure says about itself. */
export interface FigureText {
  title: string;
  x: string;
  y: string;
}

export const WIDTH = 640;
const HEIGHT = 340;
const TITLE_HEIGHT = 30;
/** Below the area: ticks and the axis's name. */
const FOOT_HEIGHT = 44;

export interface FrameOptions extends FigureText {
  /** Names of the series, in the order of their styles; one series needs no legend. */
  legend?: readonly string[];
  /** Room for the labels left of the axis. */
  left?: number;
  /** Of the whole figure. */
  height?: number;
  /** Of its area alone, in place of the other. */
  areaHeight?: number;
}

/** The figure's ground, title, legend and axes; the caller draws the data into its area. */
export class Frame {
  readonly area: Area;
  readonly #options: FrameOptions;
  readonly #legend: Legend;
  readonly #height: number;

  constructor(options: FrameOptions) {
    const { legend = [], left = 62, areaHeight, height = HEIGHT } = options;
    this.#options = options;
    this.#legend = new Legend(legend, WIDTH);
    const top = TITLE_HEIGHT + this.#legend.height + 8;
    this.#height = areaHeight === undefined ? height : top + areaHeight + FOOT_HEIGHT;
    this.area = { left, right: WIDTH - 18, top, bottom: this.#height - FOOT_HEIGHT };
  }

  /** The whole figure as one SVG element that needs nothing else. */
  render(axes: { x?: Scale; y?: Scale }, data: readonly string[]): string {
    return this.renderPanels([...drawGrid(this.area, axes), ...data]);
  }

  /** The same around whatever has axes of its own. */
  renderPanels(data: readonly string[]): string {
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
        ...this.#legend.render(TITLE_HEIGHT),
        ...data,
        ...this.#labels(),
      ].join('\n'),
    );
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
