import { scatterPlot } from '../plot/scatter-plot.js';
import { KIND_STYLES, POINT_KINDS } from '../space/kinds.js';
import type { SpaceMap, SpacePicture } from '../space/space-picture.js';
import type { Figure } from './figures.js';
import type { PageSection } from './html.js';

const ABOUT =
  'A query, its positives and negatives of each kind, by cosine distance (ANCE, Fig. 1 and 7), before training and after. ANN negatives are what the trained model ranks highest. Points that are near each other are alike to the model; distances between far ones and the axes mean nothing. The queries were drawn with the seed of the recipe.';

/** Pictures of some queries as a part of a report. */
export function spaceSection(pictures: readonly SpacePicture[]): PageSection {
  const figures = pictures.flatMap((picture, nth) =>
    picture.maps.map((map) => spaceFigure(picture, map, `space-${nth + 1}-step-${map.step}`)),
  );
  return { id: 'space', title: 'The space around some queries', about: ABOUT, figures, tables: [] };
}

/** One picture by one checkpoint. */
function spaceFigure(picture: SpacePicture, map: SpaceMap, name: string): Figure {
  const when = map.step === 0 ? 'before training' : `after ${map.step} steps`;
  const groups = POINT_KINDS.map((kind) => ({
    ...KIND_STYLES[kind],
    large: kind === 'query' || kind === 'positive',
    points: picture.points.flatMap((point, i) => {
      if (point.kind !== kind) return [];
      const score = map.scores[i] === null ? '' : ` (score ${map.scores[i].toPrecision(3)})`;
      return { x: map.x[i], y: map.y[i], label: `${point.title ?? point.excerpt}${score}` };
    }),
  }));
  const text = picture.query.text.length > 60 ? `${picture.query.text.slice(0, 59)}…` : picture.query.text;
  return { name, section: 'space', svg: scatterPlot({ title: `${text} · ${when}`, groups }) };
}
