import { Turn } from '../base/turn.js';
import type { Document } from '../data/index.js';
import type { Hit } from '../search/retrievers/retriever.js';
import type { Searcher } from '../search/searcher.js';

/** A hit as a person wants to see it. */
export interface PresentedHit extends Hit {
  title?: string;
  snippet?: { text: string; highlights: [start: number, end: number][] };
  metadata?: Record<string, unknown>;
}

/**
 * Adds titles, metadata and snippets to hits, all from the version that found them.
 *
 * @param options.queries one for each list of hits: snippets show where its words are
 */
export async function presentHits(
  searcher: Searcher,
  found: readonly Hit[][],
  options: { queries?: readonly string[]; signal?: AbortSignal } = {},
): Promise<PresentedHit[][]> {
  const ids = new Set(found.flatMap((hits) => hits.map(({ id }) => id)));
  const documents = await searcher.documents.getAll([...ids]);
  const byId = new Map(documents.flatMap((document) => (document ? [[document.id, document] as const] : [])));
  const present = (hit: Hit, query: string | undefined): PresentedHit => {
    const document = byId.get(hit.id);
    if (document === undefined) return hit;
    const snippet = query === undefined ? undefined : snippetOf(searcher, query, document);
    const { title, metadata } = document;
    return { ...hit, ...(title && { title }), ...(snippet && { snippet }), ...(metadata && { metadata }) };
  };
  const lists: PresentedHit[][] = [];
  const turn = await Turn.begin(options.signal);
  for (const [i, hits] of found.entries()) {
    const list: PresentedHit[] = [];
    for (const hit of hits) {
      list.push(present(hit, options.queries?.[i]));
      // Snippets of long texts take a while; other requests must not wait for all of them.
      if (turn.isOver) await turn.next(options.signal);
    }
    lists.push(list);
  }
  return lists;
}

function snippetOf(searcher: Searcher, query: string, document: Document): PresentedHit['snippet'] {
  const { text, highlights } = searcher.snippet(query, document);
  return { text, highlights };
}
