/** How many colours there are; `--series-0` … in tokens.css, the same as in the reports of `nearmiss analyze`. */
const SERIES_COLOURS = 7;

const DASHES: readonly (number[] | undefined)[] = [undefined, [6, 3], [2, 3]];

/** How the nth series is drawn; dashes tell those apart that share a colour. */
export function seriesStyle(nth: number): { colour: string; dash: number[] | undefined } {
  return {
    colour: `var(--series-${nth % SERIES_COLOURS})`,
    dash: DASHES[Math.floor(nth / SERIES_COLOURS) % DASHES.length],
  };
}

/** What a CSS colour such as `var(--ink)` is on screen now: a canvas knows no custom properties. */
export function resolveColour(colour: string, within: HTMLElement): string {
  const probe = document.createElement('span');
  probe.style.color = colour;
  within.append(probe);
  const resolved = getComputedStyle(probe).color;
  probe.remove();
  return resolved;
}
