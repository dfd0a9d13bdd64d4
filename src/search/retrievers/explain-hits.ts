import { fullText } from '../../data/dataset.js';
import type { DocumentStore } from '../document-store.js';
import { type Explainer, MOST_EXPLAINED_HITS } from '../explain/explanation.js';
import type { Hit } from './retriever.js';

/** Says for the first hits how a model came to their scores, in the part of that name. */
export async function explainHits(
  hits: Hit[],
  {
    query,
    part,
    explainer,
    documents,
  }: { query: string; part: string; explainer: Explainer; documents?: DocumentStore },
): Promise<Hit[]> {
  if (!explainer.explain || !documents || hits.length === 0) return hits;
  const first = hits.slice(0, MOST_EXPLAINED_HITS);
  const found = await documents.getAll(first.map(({ id }) => id));
  const there = first.flatMap((_, place) => (found[place] ? [place] : []));
  const explanations = await explainer.explain(
    query,
    there.map((place) => fullText(found[place]!)),
  );
  const byPlace = new Map(there.map((place, i) => [place, explanations[i]]));
  return hits.map((hit, place) => {
    const own = byPlace.get(place);
    if (!own) return hit;
    return {
      ...hit,
      parts: hit.parts!.map((each) => (each.name === part ? { ...each, ...own } : each)),
    };
  });
}
