/** The split of queries that pair makers made of documents and that are measured on (`nearmiss adapt`). */
export const MADE_SPLIT = 'made';

/** The split of generated queries that are measured on, where a collection has no labels for it. */
export const GENERATED_SPLIT = 'generated';

/**
 * Whether a split's queries were made of the documents that answer them. They have their words, and would overrate a search
 * by words: which model is better may be asked of them, but not whether to search by words or by vectors.
 */
export function isMadeSplit(split: string): boolean {
  return split === MADE_SPLIT || split === GENERATED_SPLIT;
}
