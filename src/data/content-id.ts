import { hash } from 'node:crypto';

/** 80 bits: among a hundred million texts, two different ones share an id with a chance below one in a hundred million. */
const HEX_DIGITS = 20;

/**
 * The id of a text that has none: equal texts get equal ids, in every file and on every machine. The prefix keeps
 * a query from having the id of the document with the same words (evaluation may drop such hits).
 */
export function contentId(kind: 'query' | 'document', text: string): string {
  return `${kind === 'query' ? 'q' : 'd'}-${hash('sha1', text, 'hex').slice(0, HEX_DIGITS)}`;
}
