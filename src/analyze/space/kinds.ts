import type { Marker } from '../plot/marker.js';

/** What a point is to the query; a document is the first of these that it is. */
export const POINT_KINDS = ['query', 'positive', 'ann', 'bm25', 'random'] as const;

export type PointKind = (typeof POINT_KINDS)[number];

/** How each kind of point is called and drawn, on the page and in the report; in the order of their colours. */
export const KIND_STYLES: Record<PointKind, { label: string; marker: Marker }> = {
  query: { label: 'query', marker: 'star' },
  positive: { label: 'positive', marker: 'diamond' },
  ann: { label: 'ANN negative', marker: 'circle' },
  bm25: { label: 'BM25 negative', marker: 'square' },
  random: { label: 'random negative', marker: 'cross' },
};
