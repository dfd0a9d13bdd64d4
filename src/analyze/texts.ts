import type { Dataset, Query } from '../data/index.js';
import type { DocumentExcerpt } from './document-excerpt.js';
import { NotThereError } from './not-there.js';

const EXCERPT_CHARACTERS = 240;

/** Reads a collection once for the beginnings of some documents. */
export async function readExcerpts(
  dataset: Dataset,
  ids: Iterable<string>,
): Promise<Map<string, DocumentExcerpt>> {
  const wanted = new Set(ids);
  const found = new Map<string, DocumentExcerpt>();
  for await (const { id, title, text } of dataset.documents()) {
    if (!wanted.has(id)) continue;
    found.set(id, { id, ...(title && { title }), excerpt: beginning(text) });
    if (found.size === wanted.size) break;
  }
  return found;
}

/** One query of a collection; one that is not there is an error. */
export async function readQuery(dataset: Dataset, id: string): Promise<Query> {
  for await (const query of dataset.queries()) if (query.id === id) return query;
  throw new NotThereError(`${dataset.name}: no query "${id}"`, {
    hint: 'give the id of a query of the collection; `queries.jsonl` or `nearmiss data stats` has them',
  });
}

function beginning(text: string): string {
  const plain = text.replace(/\s+/g, ' ').trim();
  if (plain.length <= EXCERPT_CHARACTERS) return plain;
  // Not in the middle of a surrogate pair.
  return `${plain.slice(0, EXCERPT_CHARACTERS).replace(/[\ud800-\udbff]$/, '')}…`;
}
