import type { DocumentStore } from './document-store.js';
import { fetchEnough } from './fetch-enough.js';
import { valueAt } from './filter/filter.js';
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
export const FILE = 'file';
const FILE_FIELD = 'path';
/** Hits for each group that are looked at to begin with, and at most for all queries together. */
const HITS_EACH = 4;
const MOST_HITS = 10_000;
const DOCUMENTS_AT_ONCE = 500;

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
  const { signal } = options;
  // The more queries, the less deep each is looked at: what is read for all of them together is bounded.
  const most = Math.max(HITS_EACH * k, Math.floor(MOST_HITS / queries.length));
  const results: GroupedHit[][] = queries.map(() => []);
  await fetchEnough({
    queries: queries.length,
    n: HITS_EACH * k,
    most,
    fetch: (wanted, n) =>
      retriever.search(
        wanted.map((i) => queries[i]),
        { ...options, k: n },
      ),
    take: async (query, hits, n) => {
      const groups = await groupHits(hits, { documents, field, signal });
      results[query] = groups.slice(0, k);
      return groups.length >= k || hits.length < n;
    },
    signal,
  });
  return results;
}

interface Grouping {
  documents: DocumentStore;
  field: string;
  signal?: AbortSignal;
}

async function groupHits(hits: readonly Hit[], grouping: Grouping): Promise<GroupedHit[]> {
  const values = await valuesOf(hits, grouping);
  const groups = new Map<string, GroupedHit>();
  const all: GroupedHit[] = [];
  hits.forEach((hit, i) => {
    const value = values[i];
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

/** What the hits' documents have in the field; their texts are not kept. */
async function valuesOf(hits: readonly Hit[], { documents, field, signal }: Grouping): Promise<unknown[]> {
  const values: unknown[] = [];
  for (let first = 0; first < hits.length; first += DOCUMENTS_AT_ONCE) {
    signal?.throwIfAborted();
    const part = hits.slice(first, first + DOCUMENTS_AT_ONCE);
    for (const document of await documents.getAll(part.map(({ id }) => id))) {
      values.push(valueAt(document?.metadata, field));
    }
  }
  return values;
}
