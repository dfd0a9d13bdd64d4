import { contentId } from '../content-id.js';
import type { Document, Query } from '../dataset.js';
import type { RecordContext } from '../problem.js';
import { type ExampleSource, flatMapSource, type RawExample, type RecordSource } from '../sources.js';
import { type FieldNames, toDocument, toId, toQuery } from './fields.js';
import { tableSource } from './table.js';

const TABS = { delimiter: '\t', quotes: false };

/** Documents of a table without a header line, e.g. MS MARCO's `collection.tsv`: `pid⇥text`. */
function tsvDocuments(file: string, columns: string[], names: FieldNames = {}): RecordSource<Document> {
  return tableSource(file, { ...TABS, columns }, (row, at) => toDocument(row, names, at));
}

/** MS MARCO's `collection.tsv`. */
export const msmarcoPassages = (file: string): RecordSource<Document> => tsvDocuments(file, ['id', 'text']);

/** MS MARCO's `msmarco-docs.tsv`; the url becomes metadata. */
export const msmarcoDocuments = (file: string): RecordSource<Document> =>
  tsvDocuments(file, ['id', 'url', 'title', 'body']);

/** MS MARCO's `queries.*.tsv`, also TREC's topics as a table. */
export function msmarcoQueries(file: string): RecordSource<Query> {
  return tableSource(file, { ...TABS, columns: ['id', 'text'] }, (row, at) => toQuery(row, {}, at));
}

/** `qidpidtriples.*.tsv`: `qid⇥pid+⇥pid-`. */
export function msmarcoTripleIds(file: string): ExampleSource {
  const columns = ['qid', 'positive', 'negative'];
  return {
    ...tableSource(file, { ...TABS, columns }, parseTripleIds),
    embeds: { documents: false, queries: false },
  };
}

/** `triples.train.small.tsv`: `query⇥positive text⇥negative text`; the ids are made from the texts. */
export function msmarcoTriples(file: string): ExampleSource {
  const columns = ['query', 'positive', 'negative'];
  return {
    ...tableSource(
      file,
      { ...TABS, columns },
      (row): RawExample => ({
        query: { id: contentId('query', row.query), text: row.query },
        positives: [{ document: { id: contentId('document', row.positive), text: row.positive } }],
        negatives: [{ document: { id: contentId('document', row.negative), text: row.negative } }],
      }),
    ),
    embeds: { documents: true, queries: true },
  };
}

/** `top1000.*`: `qid⇥pid⇥query⇥passage`, the candidates of a re-ranking task: passages and queries, no judgments. */
export function msmarcoTop1000(file: string): {
  documents: RecordSource<Document>;
  queries: RecordSource<Query>;
} {
  const columns = ['qid', 'pid', 'query', 'passage'];
  const rows = tableSource(file, { ...TABS, columns }, (row, at) => {
    const query = toQuery({ id: row.qid, text: row.query }, {}, at);
    const document = toDocument({ id: row.pid, text: row.passage }, {}, at);
    return query && document && { query, document };
  });
  return {
    documents: flatMapSource(rows, ({ document }) => [document]),
    queries: flatMapSource(rows, ({ query }) => [query]),
  };
}

function parseTripleIds(row: Record<string, string>, at: RecordContext): RawExample | undefined {
  const query = toId(row.qid, 'qid', at);
  const positive = toId(row.positive, 'positive', at);
  const negative = toId(row.negative, 'negative', at);
  if (query === undefined || positive === undefined || negative === undefined) return undefined;
  return {
    query: { id: query },
    positives: [{ document: { id: positive } }],
    negatives: [{ document: { id: negative } }],
  };
}
