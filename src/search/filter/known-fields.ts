import { NearmissError } from '../../base/errors.js';
import { suggest } from '../../base/suggest.js';
import { Turn } from '../../base/turn.js';
import type { DocumentStore } from '../document-store.js';
import { FILE } from '../group-hits.js';
import { fieldPaths } from './field-paths.js';
import { type DocumentFilter, fieldsOf, valueAt } from './filter.js';
import { SharedPasses } from './shared-passes.js';

/** Fields that are kept to suggest one of them. */
const FIELDS_KEPT = 500;
/** Fields that an error lists where none is like the one asked about. */
const FIELDS_TOLD = 20;
/** For answers that are kept: whoever misspells a field asks again and again. */
const ANSWER_BYTES = 4 * 2 ** 20;
/** An error and its hint. */
const PROBLEM_BYTES = 4096;

/** Whose fields are asked for. */
type FieldSource = Pick<DocumentStore, 'count' | 'metadata'>;

/** A filter asks about a field that no document has: usually a slip of the pen. */
export class UnknownFieldError extends NearmissError {}

/**
 * The fields that the documents of one version have. A filter whose fields there are is let through after a look at
 * the first documents that have them; only for one that there is not all are read, once.
 */
export class KnownFields {
  readonly #answers = new SharedPasses<UnknownFieldError | undefined>({
    bytes: ANSWER_BYTES,
    resultBytes: () => PROBLEM_BYTES,
  });

  /** Refuses a filter on a field that no document has, and says which one was probably meant. */
  async check(
    documents: FieldSource,
    filter: DocumentFilter | undefined,
    signal?: AbortSignal,
  ): Promise<void> {
    // Without a collection there is more to say, which whoever filters does.
    if (filter === undefined || documents.count === 0) return;
    await this.#check(documents, { what: 'filter', fields: fieldsOf(filter) }, signal);
  }

  /** Refuses groups by a field that no document has: every hit would be a group by itself. */
  async checkGroups(
    documents: FieldSource,
    groupBy: string | undefined,
    signal?: AbortSignal,
  ): Promise<void> {
    // A collection that is no folder of files has none, which is no slip of the pen.
    if (groupBy === undefined || groupBy === FILE || documents.count === 0) return;
    await this.#check(documents, { what: 'groups', fields: [groupBy], besides: [FILE] }, signal);
  }

  async #check(documents: FieldSource, asked: AskedFields, signal?: AbortSignal): Promise<void> {
    const problem = await this.#answers.get(asked, (wanted) => look(documents, asked, wanted), signal);
    if (problem !== undefined) throw problem;
  }
}

interface AskedFields {
  /** Who asks for them. */
  what: 'filter' | 'groups';
  fields: readonly string[];
  /** What may be meant, too, and is no field. */
  besides?: readonly string[];
}

/** What is wrong with the first of the fields that no document has. */
async function look(
  documents: FieldSource,
  { what, fields, besides = [] }: AskedFields,
  signal: AbortSignal | undefined,
): Promise<UnknownFieldError | undefined> {
  const missing = new Set(fields);
  const known = new Set<string>();
  const turn = await Turn.begin(signal);
  for await (const metadata of documents.metadata()) {
    for (const field of missing) if (valueAt(metadata, field) !== undefined) missing.delete(field);
    if (missing.size === 0) return undefined;
    for (const path of fieldPaths(metadata)) {
      if (known.size >= FIELDS_KEPT) break;
      known.add(path);
    }
    if (turn.isOver) await turn.next(signal);
  }
  const [first] = missing;
  return first === undefined ? undefined : unknownField(what, first, [...besides, ...known]);
}

function unknownField(what: string, field: string, known: readonly string[]): UnknownFieldError {
  const meant = suggest(field, known);
  const listed = known.slice(0, FIELDS_TOLD).join(', ');
  return new UnknownFieldError(
    `${what}: no document has the field ${JSON.stringify(field)} in its metadata`,
    {
      hint:
        meant !== undefined
          ? `did you mean ${meant}?`
          : known.length > 0
            ? `fields that there are: ${listed}${known.length > FIELDS_TOLD ? ', …' : ''}`
            : 'no document has metadata: leave it out',
    },
  );
}
