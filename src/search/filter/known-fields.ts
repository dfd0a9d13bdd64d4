import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { NearmissError } from '../../base/errors.js';
import { suggest } from '../../base/suggest.js';
import type { DocumentStore } from '../document-store.js';
import { fieldPaths } from './field-paths.js';
import { type DocumentFilter, fieldsOf, valueAt } from './filter.js';

const LONGEST_TURN_MS = 5;
/** Fields that are kept to suggest one of them. */
const FIELDS_KEPT = 500;
/** Fields that an error lists where none is like the one asked about. */
const FIELDS_TOLD = 20;
/** Answers that are kept: whoever misspells a field asks again and again. */
const ANSWERS_KEPT = 1000;

/** Whose fields are asked for. */
type FieldSource = Pick<DocumentStore, 'count' | 'metadata'>;

/** A filter asks about a field that no document has: usually a slip of the pen. */
export class UnknownFieldError extends NearmissError {}

/**
 * The fields that the documents of one version have. A filter whose fields there are is let through after a look at
 * the first documents that have them; only for one that there is not all are read, once.
 */
export class KnownFields {
  readonly #answers = new LRUCache<string, Promise<UnknownFieldError | undefined>>({ max: ANSWERS_KEPT });

  /** Refuses a filter on a field that no document has, and says which one was probably meant. */
  async check(documents: FieldSource, filter: DocumentFilter | undefined): Promise<void> {
    // Without a collection there is more to say, which whoever filters does.
    if (filter === undefined || documents.count === 0) return;
    const fields = fieldsOf(filter);
    const asked = fields.filter((field) => !this.#answers.has(field));
    if (asked.length > 0) {
      const looked = look(documents, asked);
      for (const field of asked) {
        const answer = looked.then((problems) => problems.get(field));
        this.#answers.set(field, answer);
        answer.catch(() => this.#answers.delete(field));
      }
    }
    for (const field of fields) {
      const problem = await this.#answers.get(field);
      if (problem !== undefined) throw problem;
    }
  }
}

async function look(
  documents: FieldSource,
  fields: readonly string[],
): Promise<Map<string, UnknownFieldError>> {
  const missing = new Set(fields);
  const known = new Set<string>();
  let since = performance.now();
  for await (const metadata of documents.metadata()) {
    for (const field of missing) if (valueAt(metadata, field) !== undefined) missing.delete(field);
    if (missing.size === 0) break;
    for (const path of fieldPaths(metadata)) {
      if (known.size >= FIELDS_KEPT) break;
      known.add(path);
    }
    if (performance.now() - since < LONGEST_TURN_MS) continue;
    await nextTurn();
    since = performance.now();
  }
  return new Map([...missing].map((field) => [field, unknownField(field, [...known])]));
}

function unknownField(field: string, known: readonly string[]): UnknownFieldError {
  const meant = suggest(field, known);
  const listed = known.slice(0, FIELDS_TOLD).join(', ');
  return new UnknownFieldError(`filter: no document has the field ${JSON.stringify(field)} in its metadata`, {
    hint:
      meant !== undefined
        ? `did you mean ${meant}?`
        : known.length > 0
          ? `fields that there are: ${listed}${known.length > FIELDS_TOLD ? ', …' : ''}`
          : 'no document has metadata: leave the filter out',
  });
}
