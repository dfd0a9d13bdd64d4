// Apart from the splitter, so that a command line can be checked without loading it.

/** Words of a passage at most, where nothing else is said. */
export const DEFAULT_MAX_WORDS = 200;

/** How many words a passage may repeat from the one before: more would make passages that hardly differ. */
export function mostOverlap(maxWords: number): number {
  return Math.floor(maxWords / 2);
}
