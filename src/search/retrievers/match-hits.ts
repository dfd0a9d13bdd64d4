import { fullText } from '../../data/dataset.js';
import type { DocumentStore } from '../document-store.js';
import { MOST_MATCHED_HITS, type TokenMatches } from '../token-matches.js';
import type { Hit } from './retriever.js';

/** What can tell which tokens chose which. */
interface Matcher {
  matches?(query: string, texts: readonly string[]): Promise<TokenMatches[]>;
}

/** Says for the first hits which of their tokens the query's chose, in the part of that name. */
export async function matchHits(
  hits: Hit[],
  {
    query,
    part,
    matcher,
    documents,
  }: { query: string; part: string; matcher: Matcher; documents?: DocumentStore },
): Promise<Hit[]> {
  if (!matcher.matches || !documents || hits.length === 0) return hits;
  const first = hits.slice(0, MOST_MATCHED_HITS);
  const found = await documents.getAll(first.map(({ id }) => id));
  const there = first.flatMap((_, place) => (found[place] ? [place] : []));
  const matches = await matcher.matches(
    query,
    there.map((place) => fullText(found[place]!)),
  );
  const byPlace = new Map(there.map((place, i) => [place, matches[i]]));
  return hits.map((hit, place) => {
    const own = byPlace.get(place);
    if (!own) return hit;
    return {
      ...hit,
      parts: hit.parts!.map((each) => (each.name === part ? { ...each, matches: own } : each)),
    };
  });
}
