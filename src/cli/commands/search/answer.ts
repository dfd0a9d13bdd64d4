import { jsonText } from '../../../base/printable.js';
import type { DocumentFilter } from '../../../search/filter/filter.js';
import { type GroupedHit, searchGroups } from '../../../search/group-hits.js';
import { placeOf } from '../../../search/passage-place.js';
import type { SearchMode } from '../../../search/retrievers/retriever.js';
import type { Searcher } from '../../../search/searcher.js';
import { type Column, formatColumns } from './format-columns.js';
import { formatHits } from './format-hits.js';
import type { Style } from './style.js';

/** How queries are answered; the prompt changes it on the way. */
export interface AnswerSettings {
  /** One, or several to be shown side by side. */
  modes: readonly SearchMode[];
  k: number;
  filter?: DocumentFilter;
  explain?: boolean;
  /** One hit for each value of this field of the metadata, or for each `file`. */
  groupBy?: string;
  json?: boolean;
}

export interface Answer {
  columns: Column[];
  /** What to print. */
  output: string;
}

/** Searches for one query in every mode wanted. */
export async function answer(
  searcher: Searcher,
  query: string,
  settings: AnswerSettings,
  style: Style,
): Promise<Answer> {
  const { modes, k, filter, explain, groupBy, json } = settings;
  const columns: Column[] = [];
  for (const mode of modes) {
    const [retriever, options] = [searcher.retriever(mode), { k, filter, explain }];
    const [hits] =
      groupBy === undefined
        ? await retriever.search([query], options)
        : await searchGroups(retriever, searcher.documents, [query], { ...options, groupBy });
    columns.push({ mode, hits });
  }
  if (json) return { columns, output: await jsonLine(searcher, query, columns) };
  const [{ hits }] = columns;
  const output =
    columns.length > 1
      ? await formatColumns(searcher, columns, style)
      : await formatHits(searcher, { query, hits }, style);
  return { columns, output };
}

async function jsonLine(searcher: Searcher, query: string, columns: readonly Column[]): Promise<string> {
  const terms = searcher.queryTerms(query);
  const present = async (hits: readonly GroupedHit[]): Promise<object[]> => {
    const documents = await searcher.documents.getAll(hits.map(({ id }) => id));
    return hits.map((hit, i) => {
      const document = documents[i];
      if (!document) return hit;
      const { title, metadata } = document;
      const { text, highlights } = searcher.snippet(terms, document);
      return {
        ...hit,
        ...(title && { title }),
        ...(metadata && { metadata }),
        place: placeOf(document, (id) => searcher.documents.has(id)),
        snippet: { text, highlights },
      };
    });
  };
  const { version } = searcher;
  if (columns.length === 1) {
    const [{ mode, hits }] = columns;
    return `${jsonText({ text: query, mode, version, hits: await present(hits) })}\n`;
  }
  const results = await Promise.all(
    columns.map(async ({ mode, hits }) => ({ mode, hits: await present(hits) })),
  );
  return `${jsonText({ text: query, version, results })}\n`;
}
