import { markerPath } from '../../../src/analyze/plot/marker.js';
import { KIND_STYLES, POINT_KINDS, type PointKind } from '../../../src/analyze/space/kinds.js';
import type { SpacePoint } from './space-api.js';

export interface LegendProps {
  points: readonly SpacePoint[];
  hidden: ReadonlySet<PointKind>;
  onToggle: (kind: PointKind) => void;
}

/** Names the kinds of points, and shows or hides each. */
export function Legend({ points, hidden, onToggle }: LegendProps) {
  return (
    <fieldset class="legend">
      <legend class="visually-hidden">Kinds of points to show</legend>
      {POINT_KINDS.map((kind) => {
        const { label, marker } = KIND_STYLES[kind];
        return (
          <label key={kind}>
            <input type="checkbox" checked={!hidden.has(kind)} onChange={() => onToggle(kind)} />
            <svg viewBox="-9 -9 18 18" width="16" height="16" aria-hidden="true">
              <path class={`point point-${kind}`} d={markerPath(marker, 5.5)} />
            </svg>
            {label} <span class="soft">{points.filter((point) => point.kind === kind).length}</span>
          </label>
        );
      })}
    </fieldset>
  );
}
