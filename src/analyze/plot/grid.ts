import { element, text } from './markup.js';
import type { Scale } from './scale.js';

/** Where data go, in pixels. */
export interface Area {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Axes around an area, with their ticks. */
export function drawGrid({ left, right, top, bottom }: Area, { x, y }: { x?: Scale; y?: Scale }): string[] {
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
