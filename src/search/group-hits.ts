import type { DocumentStore } from './document-store.js';
import type { Hit, RetrieveOptions, Retriever } from './retrievers/retriever.js';

/** The best hit of a group, with the others of it that were found. */
export interface GroupedHit extends Hit {
  group?: { value: string; others: { id: string; score: number }[] };
}

export interface GroupOptions extends RetrieveOptions {
  /** The field of the metadata that documents of a group have in common, e.g. `path`: the passages of a file. */
  groupBy: string;
}

/** What `--group-by` and the API call the passages of a file. */
const FILE = 'file';
const FILE_FIELD = 'path';
/** Hits for each group that are looked at to begin with, and at most in all. */
const HITS_EACH = 4;
const MOST_HITS = 10_000;

/**
 * Finds the best k groups for each query: the best hit of each, and which others of it were found. A document without
 * the field is a group by itself.
 *
 * @example
 * const [files] = await searchGroups(searcher.retriever('bm25'), searcher.documents, ['anemia'], { k: 10, groupBy: 'file' });
 */
export async function searchGroups(
  retriever: Retriever,
  documents: DocumentStore,
  queries: readonly string[],
  { groupBy, k, ...options }: GroupOptions,
): Promise<GroupedHit[][]> {
  const field = groupBy === FILE ? FILE_FIELD : groupBy;
  return Promise.all(
    queries.map(async (query) => {
      for (let n = HITS_EACH * k; ; n *= 2) {
        const depth = Math.min(n, MOST_HITS);
        const [hits] = await retriever.search([query], { ...options, k: depth });
        const groups = await groupHits(hits, documents, field);
        if (groups.length >= k || hits.length < depth || depth === MOST_HITS) return groups.slice(0, k);
      }
    }),
  );
}

async function groupHits(
  hits: readonly Hit[],
  documents: DocumentStore,
  field: string,
): Promise<GroupedHit[]> {
  const found = await documents.getAll(hits.map(({ id }) => id));
  const groups = new Map<string, GroupedHit>();
  const all: GroupedHit[] = [];
  hits.forEach((hit, i) => {
    const value = found[i]?.metadata?.[field];
    if (value === undefined || value === null) {
      all.push(hit);
      return;
    }
    const name = String(value);
    const group = groups.get(name);
    if (group) group.group!.others.push({ id: hit.id, score: hit.score });
    else {
      const first = { ...hit, group: { value: name, others: [] } };
      groups.set(name, first);
      all.push(first);
    }
  });
  return all;
}
