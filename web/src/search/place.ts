import type { Place } from '../api.js';

export { placeText } from '../../../src/search/passage-place.js';

/** What reading a file adds to a passage's metadata; the place says it shorter. */
const OF_PLACES = ['path', 'heading', 'position', 'anchor', 'line', 'links'];

/** The metadata that a person put there. */
export function ownMetadata(metadata: Record<string, unknown> = {}, place?: Place): [string, unknown][] {
  const entries = Object.entries(metadata);
  return place === undefined ? entries : entries.filter(([field]) => !OF_PLACES.includes(field));
}
