/** Shapes that are told apart without colour. */
export type Marker = 'star' | 'diamond' | 'circle' | 'square' | 'cross';

/** An SVG path around 0, 0; shapes of the same `radius` look equally large. */
export function markerPath(marker: Marker, radius: number): string {
  const r = radius;
  if (marker === 'circle') return `M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
  if (marker === 'square') return polygon(4, r * 1.25, Math.PI / 4);
  if (marker === 'diamond') return polygon(4, r * 1.35, 0);
  if (marker === 'star') return polygon(10, r * 1.5, -Math.PI / 2, 0.45);
  const [arm, half] = [r * 1.1, r * 0.38];
  return `M${-half} ${-arm}H${half}V${-half}H${arm}V${half}H${half}V${arm}H${-half}V${half}H${-arm}V${-half}H${-half}Z`;
}

/** Corners on a circle; with `inner` every second one is nearer to the middle. */
function polygon(corners: number, radius: number, turn: number, inner = 1): string {
  const points = Array.from({ length: corners }, (_, i) => {
    const angle = turn + (2 * Math.PI * i) / corners;
    const at = i % 2 === 1 ? radius * inner : radius;
    return `${(at * Math.cos(angle)).toFixed(2)} ${(at * Math.sin(angle)).toFixed(2)}`;
  });
  return `M${points.join('L')}Z`;
}
