/** Colours that people with any colour vision tell apart (Okabe and Ito), on light and on dark ground. */
const LIGHT = ['#0072b2', '#d55e00', '#009e73', '#b0528a', '#b8860b', '#3f9bd1', '#6b6b6b'];
const DARK = ['#56b4e9', '#ff8a3d', '#2fc79a', '#e08fc0', '#e6b422', '#9ad1f5', '#b0b0b0'];

const DASHES = [undefined, '6 3', '2 3'];

/** How the nth series is drawn; dashes tell those apart that share a colour. */
export function seriesStyle(nth: number): { class: string; 'stroke-dasharray': string | undefined } {
  return {
    class: `nm-${nth % LIGHT.length}`,
    'stroke-dasharray': DASHES[Math.floor(nth / LIGHT.length) % DASHES.length],
  };
}

/** Goes into every figure, so that one that is saved alone looks the same; follows the reader's light or dark theme. */
export const PLOT_STYLE = `
.nm-plot{font:11px system-ui,sans-serif}
${theme({ ground: '#ffffff', ink: '#222222', soft: '#666666', rule: '#dddddd', series: LIGHT })}
@media (prefers-color-scheme:dark){
${theme({ ground: '#16181d', ink: '#e6e6e6', soft: '#a0a4ab', rule: '#33373f', series: DARK })}
}`;

function theme(colours: {
  ground: string;
  ink: string;
  soft: string;
  rule: string;
  series: readonly string[];
}): string {
  const { ground, ink, soft, rule, series } = colours;
  return [
    `.nm-ground{fill:${ground}}.nm-ink{fill:${ink}}.nm-soft{fill:${soft}}`,
    `.nm-rule{stroke:${rule};fill:none}.nm-axis{stroke:${soft};fill:none}.nm-mark{stroke:${ink};fill:none}`,
    ...series.map((colour, i) => `.nm-${i}{stroke:${colour};fill:${colour}}`),
  ].join('\n');
}
