/** Whose texts a model reads: those of queries or those of documents. */
export type Side = 'queries' | 'documents';

export const SIDES: readonly Side[] = ['queries', 'documents'];
