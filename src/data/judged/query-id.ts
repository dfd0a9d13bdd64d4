import { createHash } from 'node:crypto';

/** The same question, however it was typed: what is judged for one is judged for the other. */
export function sameQuery(text: string): string {
  return text.normalize('NFC').trim().replace(/\s+/g, ' ');
}

/** What a query without an id is called in qrels and runs: the same text always has the same name. */
export function queryId(text: string): string {
  return `q-${createHash('sha256').update(sameQuery(text)).digest('hex').slice(0, 12)}`;
}
