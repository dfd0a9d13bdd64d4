import { markerPath } from '../../../src/analyze/plot/marker.js';
import { KIND_STYLES, POINT_KINDS, type PointKind } from '../../../src/analyze/space/kinds.js';
import { nameOf, type SpaceMap, type SpacePoint } from './space-api.js';

export interface ScatterProps {
  title: string;
  points: readonly SpacePoint[];
  map: SpaceMap;
  hidden: ReadonlySet<PointKind>;
  /** Place of the point that is pointed at, in this picture or in the other. */
  active: number | undefined;
  onActive: (place: number | undefined) => void;
}

const SIZE = 480;
const MARGIN = 22;

/** Points in the plane; pointing at one tells what it is. The table beside it has the same for the keyboard. */
export function Scatter({ title, points, map, hidden, active, onActive }: ScatterProps) {
  const x = scaleOf(map.x);
  const y = scaleOf(map.y);
  // What is few and matters most lies on top.
  const order = points
    .map((_, place) => place)
    .sort((a, b) => POINT_KINDS.indexOf(points[b].kind) - POINT_KINDS.indexOf(points[a].kind));
  const shown = order.filter((place) => !hidden.has(points[place].kind));
  return (
    <figure class="scatter">
      <figcaption>{title}</figcaption>
      <svg
        viewBox={`0 0 ${SIZE} ${SIZE}`}
        role="img"
        aria-label={`${title}: ${shown.length} points; the table below lists them`}
        onPointerLeave={() => onActive(undefined)}
      >
        {shown.map((place) => {
          const { kind } = points[place];
          const large = kind === 'query' || kind === 'positive';
          return (
            <path
              key={place}
              class={`point point-${kind} ${place === active ? 'point-active' : ''}`}
              d={markerPath(KIND_STYLES[kind].marker, large ? 7 : 4)}
              transform={`translate(${x(map.x[place])} ${y(map.y[place])})`}
              onPointerEnter={() => onActive(place)}
            />
          );
        })}
        {active !== undefined && (
          <circle class="point-ring" cx={x(map.x[active])} cy={y(map.y[active])} r={13} />
        )}
      </svg>
      <p class="scatter-tip small" aria-hidden="true">
        {active === undefined
          ? 'Point at a mark to see what it is.'
          : tipOf(points[active], map.scores[active])}
      </p>
    </figure>
  );
}

function tipOf(point: SpacePoint, score: number | null): string {
  const { label } = KIND_STYLES[point.kind];
  return `${label}${score === null ? '' : `, score ${score.toFixed(3)}`}: ${nameOf(point)}`;
}

function scaleOf(values: readonly number[]): (value: number) => number {
  const low = Math.min(...values);
  const span = Math.max(...values) - low || 1;
  return (value) => Math.round(10 * (MARGIN + ((value - low) / span) * (SIZE - 2 * MARGIN))) / 10;
}
