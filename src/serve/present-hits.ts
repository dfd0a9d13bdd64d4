import { Turn } from '../base/turn.js';
import type { Document } from '../data/index.js';
import { MOST_TERMS } from '../search/explain/term-matches.js';
import type { GroupedHit } from '../search/group-hits.js';
import { placeOf } from '../search/passage-place.js';
import type { Searcher } from '../search/searcher.js';
import type { QueryTerms } from '../search/snippet/snippet.js';
import { snippetParts } from '../search/snippet/snippet-parts.js';
import type { Hit as PresentedHit } from './answers/hits.js';

/** Longer titles are no titles: nobody waits for their words to be marked. */
const LONGEST_TITLE = 1000;

/**
 * Adds titles, metadata and snippets to hits, all from the version that found them.
 *
 * @param options.queries one for each list of hits: snippets show where its words are
 */
export async function presentHits(
  searcher: Searcher,
  found: readonly GroupedHit[][],
  options: { queries?: readonly string[]; signal?: AbortSignal } = {},
): Promise<PresentedHit[][]> {
  const ids = new Set(found.flatMap((hits) => hits.map(({ id }) => id)));
  const documents = await searcher.documents.getAll([...ids]);
  const byId = new Map(documents.flatMap((document) => (document ? [[document.id, document] as const] : [])));
  const present = (hit: GroupedHit, query: QueryTerms | undefined): PresentedHit => {
    const document = byId.get(hit.id);
    const parts = hit.parts?.map((part) => ({
      ...part,
      ...(part.terms && { terms: part.terms.slice(0, MOST_TERMS) }),
    }));
    if (document === undefined) return { ...hit, ...(parts && { parts }) };
    const snippet = query === undefined ? undefined : snippetOf(searcher, query, document);
    const { title, metadata } = document;
    const place = placeOf(document, (id) => searcher.documents.has(id));
    const marked =
      query !== undefined && title && title.length <= LONGEST_TITLE
        ? highlightsIn(searcher, query, title)
        : undefined;
    return {
      ...hit,
      ...(parts && { parts }),
      ...(title && { title }),
      ...(marked && { titleHighlights: marked }),
      ...(snippet && { snippet }),
      ...(metadata && { metadata }),
      ...(place && { place }),
    };
  };
  const lists: PresentedHit[][] = [];
  const turn = await Turn.begin(options.signal);
  for (const [i, hits] of found.entries()) {
    const list: PresentedHit[] = [];
    const query = options.queries?.[i];
    const terms = query === undefined ? undefined : searcher.queryTerms(query);
    for (const hit of hits) {
      list.push(present(hit, terms));
      // Snippets of long texts take a while; other requests must not wait for all of them.
      if (turn.isOver) await turn.next(options.signal);
    }
    lists.push(list);
  }
  return lists;
}

/** Where the words of a query are in a whole text; `undefined` where the text is not compared as it is written. */
export function highlightsIn(
  searcher: Pick<Searcher, 'snippet'>,
  query: QueryTerms,
  text: string,
): [number, number][] | undefined {
  const whole = searcher.snippet(query, { id: '', text }, { length: text.length });
  return whole.text.length === text.length ? whole.highlights : undefined;
}

function snippetOf(searcher: Searcher, query: QueryTerms, document: Document): PresentedHit['snippet'] {
  const snippet = searcher.snippet(query, document);
  const { text, highlights, cut } = snippet;
  const parts = snippetParts(document.text, snippet);
  return {
    text,
    highlights,
    ...(parts && { parts }),
    ...(cut.before && { cutBefore: true }),
    ...(cut.after && { cutAfter: true }),
  };
}
