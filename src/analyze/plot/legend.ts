import { element, text } from './markup.js';
import { seriesStyle } from './style.js';

const LINE = 16;
/** Room for a character of the figure's font, which cannot be measured here. */
const CHARACTER = 6;

/** Names of the series beside each other, in the order of their styles, in as many lines as they need. */
export class Legend {
  readonly height: number;
  readonly #entries: readonly { x: number; y: number; label: string }[];

  constructor(labels: readonly string[], width: number) {
    this.#entries = place(labels, width);
    this.height = this.#entries.length === 0 ? 0 : this.#entries.at(-1)!.y + LINE;
  }

  render(top: number): string[] {
    return this.#entries.flatMap(({ x, y, label }, nth) => [
      element('line', {
        ...seriesStyle(nth),
        x1: 14 + x,
        x2: 32 + x,
        y1: top + y + 6,
        y2: top + y + 6,
        'stroke-width': 3,
      }),
      text(label, { class: 'nm-ink', x: 37 + x, y: top + y + 10 }),
    ]);
  }
}

function place(labels: readonly string[], width: number): { x: number; y: number; label: string }[] {
  let [x, y] = [0, 0];
  const most = Math.floor((width - 70) / CHARACTER);
  return labels.map((full) => {
    const label = full.length > most ? `${full.slice(0, most - 1)}…` : full;
    const taken = 23 + label.length * CHARACTER + 16;
    if (x > 0 && x + taken > width - 20) {
      x = 0;
      y += LINE;
    }
    const placed = { x, y, label };
    x += taken;
    return placed;
  });
}
