import { createHash } from 'node:crypto';
import type { Document } from './dataset.js';

/** SHA-256 of documents in their order: what is made of a collection can say of which state it was made. */
export class ContentHash {
  readonly #hash = createHash('sha256');

  /** Gives the line of JSON that was added. */
  add(document: Document): string {
    const line = JSON.stringify(document);
    this.#hash.update(line).update('\n');
    return line;
  }

  digest(): string {
    return this.#hash.digest('hex');
  }
}
