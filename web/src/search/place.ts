import type { Place } from '../api.js';

export { placeText } from '../../../src/search/passage-place.js';

/** What reading a file adds to a passage's metadata; the place says it shorter. */
const OF_PLACES = ['path', 'heading', 'position', 'anchor', 'line', 'links'];

/** Whether a field says where a passage stands, and nobody would filter by it: by its file people do. */
export function isOfPlace(field: string, fields: readonly string[]): boolean {
  return fields.includes('position') && field !== 'path' && OF_PLACES.includes(field);
}

/** The metadata that a person put there. */
export function ownMetadata(metadata: Record<string, unknown> = {}, place?: Place): [string, unknown][] {
  const entries = Object.entries(metadata);
  return place === undefined ? entries : entries.filter(([field]) => !OF_PLACES.includes(field));
}
