import type { OpenOptions } from '../open.js';

/** The same small collection in each format. */
export const DOCUMENTS = [
  { id: '11', title: 'Cats', text: 'Cats purr, “softly”; they like 中文.' },
  { id: '12', title: 'Dogs', text: 'Dogs bark "loudly" at night.' },
  { id: '13', title: 'Fish', text: 'Fish say nothing \\ at all 🐟.' },
];
export const QUERIES = [
  { id: '1', text: 'what purrs' },
  { id: '2', text: 'who is “loud” at night' },
];
const [CATS, DOGS, FISH] = DOCUMENTS;
const [PURRS, LOUD] = QUERIES;

/** By position: query, positive, negatives. */
export const EXAMPLES = [
  { query: PURRS, positive: CATS, negatives: [DOGS, FISH] },
  { query: LOUD, positive: DOGS, negatives: [CATS] },
];

export interface ReaderCase {
  name: string;
  /** Contents by path within a folder. */
  files: Record<string, string>;
  /** What to open; the folder itself when left out. */
  open?: string;
  /** Paths in the options are within the folder, too. */
  options?: OpenOptions;
  /** What the format can hold. */
  holds: {
    titles?: boolean;
    ids?: boolean;
    queries?: boolean;
    judgments?: boolean;
    examples?: 'pairs' | 'n-way';
  };
  /** The split that judgments and examples belong to. */
  split: string;
  /** A line that breaks the format, and the file to append it to. */
  broken: { file: string; line: string };
}

const lines = (records: unknown[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join('');
const rows = (cells: string[][]): string => cells.map((row) => `${row.join('\t')}\n`).join('');
const quoted = (cells: string[][], delimiter: string): string =>
  cells.map((row) => `${row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(delimiter)}\n`).join('');

const CORPUS = lines(DOCUMENTS.map(({ id, title, text }) => ({ _id: id, title, text })));
const QUERY_LINES = lines(QUERIES.map(({ id, text }) => ({ _id: id, text })));
const COLLECTION = rows(DOCUMENTS.map(({ id, text }) => [id, text]));
const QUERY_ROWS = rows(QUERIES.map(({ id, text }) => [id, text]));
const TREC_QRELS = EXAMPLES.map(({ query, positive }) => `${query.id} 0 ${positive.id} 1\n`).join('');
const PAIRS = EXAMPLES.flatMap(({ query, positive, negatives }) =>
  negatives.map((negative) => ({ query, positive, negative })),
);
const TOPICS = QUERIES.map(
  ({ id, text }) =>
    `<top>\n<num> Number: ${id}\n<title> ${text}\n\n<desc> Description:\nmore of it\n</top>\n`,
).join('\n');

const IDS = { documents: 'collection.tsv', queries: 'queries.tsv' };
const ID_FILES = { 'collection.tsv': COLLECTION, 'queries.tsv': QUERY_ROWS };
const ALL_TEXTS = { queries: true, judgments: true } as const;

export const READER_CASES: ReaderCase[] = [
  {
    name: 'beir',
    files: {
      'corpus.jsonl': CORPUS,
      'queries.jsonl': QUERY_LINES,
      'qrels/test.tsv': `query-id\tcorpus-id\tscore\n${rows(EXAMPLES.map(({ query, positive }) => [query.id, positive.id, '1']))}`,
      'examples/test.jsonl': lines(
        EXAMPLES.map(({ query, positive, negatives }) => ({
          query_id: query.id,
          positive_document_ids: [positive.id],
          negative_document_ids: negatives.map(({ id }) => id),
        })),
      ),
    },
    holds: { ids: true, titles: true, queries: true, judgments: true, examples: 'n-way' },
    split: 'test',
    broken: { file: 'corpus.jsonl', line: '{"_id": "x", "text": 7}' },
  },
  {
    name: 'FlagEmbedding evaluation folder',
    files: {
      'corpus.jsonl': CORPUS.replaceAll('_id', 'id'),
      'dev_queries.jsonl': QUERY_LINES.replaceAll('_id', 'id'),
      'dev_qrels.jsonl': lines(
        EXAMPLES.map(({ query, positive }) => ({ qid: query.id, docid: positive.id, relevance: 1 })),
      ),
    },
    holds: { ids: true, titles: true, queries: true, judgments: true },
    split: 'dev',
    broken: { file: 'dev_queries.jsonl', line: '{"id": "x"}' },
  },
  {
    name: 'msmarco passages',
    files: {
      'collection.tsv': COLLECTION,
      'queries.train.tsv': QUERY_ROWS,
      'queries.dev.tsv': QUERY_ROWS.split('\n')[0],
      'qrels.train.tsv': TREC_QRELS.replaceAll(' ', '\t'),
      'qidpidtriples.train.full.2.tsv': rows(
        PAIRS.map((pair) => [pair.query.id, pair.positive.id, pair.negative.id]),
      ),
    },
    holds: { ids: true, queries: true, judgments: true, examples: 'pairs' },
    split: 'train',
    broken: { file: 'collection.tsv', line: 'only-an-id' },
  },
  {
    name: 'msmarco documents',
    files: {
      'msmarco-docs.tsv': rows(
        DOCUMENTS.map(({ id, title, text }) => [id, `https://example.org/${id}`, title, text]),
      ),
      'msmarco-doctrain-queries.tsv': QUERY_ROWS,
      'msmarco-doctrain-qrels.tsv': TREC_QRELS,
    },
    holds: { ids: true, titles: true, queries: true, judgments: true },
    split: 'train',
    broken: { file: 'msmarco-docs.tsv', line: 'D1\thttps://example.org\ttitle' },
  },
  {
    name: 'msmarco top1000',
    files: {
      'top1000.dev': rows(
        QUERIES.flatMap((query) => DOCUMENTS.map((d) => [query.id, d.id, query.text, d.text])),
      ),
    },
    open: 'top1000.dev',
    holds: { ids: true, queries: true },
    split: 'dev',
    broken: { file: 'top1000.dev', line: '1\t2\tthree' },
  },
  {
    name: 'msmarco triples of texts',
    files: {
      'triples.tsv': rows(
        PAIRS.map(({ query, positive, negative }) => [query.text, positive.text, negative.text]),
      ),
    },
    open: 'triples.tsv',
    holds: { ...ALL_TEXTS, examples: 'pairs' },
    split: 'train',
    broken: { file: 'triples.tsv', line: 'a query\ta passage' },
  },
  {
    name: 'msmarco triples of ids',
    files: {
      ...ID_FILES,
      'triples.tsv': rows(PAIRS.map((pair) => [pair.query.id, pair.positive.id, pair.negative.id])),
    },
    open: 'triples.tsv',
    options: IDS,
    holds: { ids: true, ...ALL_TEXTS, examples: 'pairs' },
    split: 'train',
    broken: { file: 'triples.tsv', line: '1\t2' },
  },
  {
    name: 'trec topics and qrels',
    files: { 'collection.tsv': COLLECTION, 'topics.txt': TOPICS, 'qrels.txt': TREC_QRELS },
    open: 'collection.tsv',
    options: { queries: 'topics.txt', qrels: { test: 'qrels.txt' } },
    holds: { ids: true, queries: true, judgments: true },
    split: 'test',
    broken: { file: 'topics.txt', line: '<top><title>no number</top>' },
  },
  {
    name: 'dpr',
    files: {
      'nq.json': JSON.stringify(
        EXAMPLES.map(({ query, positive, negatives }) => ({
          question: query.text,
          answers: ['an answer'],
          positive_ctxs: [{ title: positive.title, text: positive.text, passage_id: positive.id }],
          negative_ctxs: [],
          hard_negative_ctxs: negatives.map(({ id, title, text }) => ({ title, text, passage_id: id })),
        })),
        null,
        2,
      ),
    },
    open: 'nq.json',
    holds: { titles: true, ...ALL_TEXTS, examples: 'n-way' },
    split: 'train',
    broken: { file: 'nq.json', line: '[]' },
  },
  {
    name: 'tevatron with texts',
    files: {
      'train.jsonl': lines(
        EXAMPLES.map(({ query, positive, negatives }) => ({
          query_id: query.id,
          query: query.text,
          positive_passages: [{ docid: positive.id, title: positive.title, text: positive.text }],
          negative_passages: negatives.map(({ id, title, text }) => ({ docid: id, title, text })),
        })),
      ),
    },
    open: 'train.jsonl',
    holds: { ids: true, titles: true, ...ALL_TEXTS, examples: 'n-way' },
    split: 'train',
    broken: { file: 'train.jsonl', line: '{"query_id": "1", "query": "q", "positive_passages": "d1"}' },
  },
  {
    name: 'tevatron with ids',
    files: {
      'corpus.jsonl': lines(DOCUMENTS.map(({ id, text }) => ({ docid: id, document_text: text }))),
      'train.jsonl': lines(
        EXAMPLES.map(({ query, positive, negatives }) => ({
          query_id: query.id,
          query_text: query.text,
          positive_document_ids: [positive.id],
          negative_document_ids: negatives.map(({ id }) => id),
        })),
      ),
    },
    open: 'train.jsonl',
    options: { documents: 'corpus.jsonl' },
    holds: { ids: true, ...ALL_TEXTS, examples: 'n-way' },
    split: 'train',
    broken: { file: 'train.jsonl', line: '{"query_id": "1", "positive_document_ids": "11"}' },
  },
  {
    name: 'flagembedding',
    files: {
      'train.jsonl': lines(
        EXAMPLES.map(({ query, positive, negatives }) => ({
          query: query.text,
          pos: [positive.text],
          neg: negatives.map(({ text }) => text),
        })),
      ),
    },
    open: 'train.jsonl',
    holds: { ...ALL_TEXTS, examples: 'n-way' },
    split: 'train',
    broken: { file: 'train.jsonl', line: '{"query": "q", "pos": "not in brackets", "neg": []}' },
  },
  {
    name: 'colbert triples',
    files: {
      ...ID_FILES,
      'triples.jsonl': lines(
        PAIRS.map((pair) => [Number(pair.query.id), Number(pair.positive.id), Number(pair.negative.id)]),
      ),
    },
    open: 'triples.jsonl',
    options: IDS,
    holds: { ids: true, ...ALL_TEXTS, examples: 'pairs' },
    split: 'train',
    broken: { file: 'triples.jsonl', line: '[1]' },
  },
  {
    name: 'colbert n-way',
    files: {
      ...ID_FILES,
      'nway.jsonl': lines(
        EXAMPLES.map(({ query, positive, negatives }) => [
          Number(query.id),
          ...[positive, ...negatives].map(({ id }, i) => [Number(id), 5 - i]),
        ]),
      ),
    },
    open: 'nway.jsonl',
    options: IDS,
    holds: { ids: true, ...ALL_TEXTS, examples: 'n-way' },
    split: 'train',
    broken: { file: 'nway.jsonl', line: '[1, [11, "high"]]' },
  },
  {
    name: 'sentence-transformers columns',
    files: {
      'triplets.jsonl': lines(
        PAIRS.map(({ query, positive, negative }) => ({
          anchor: query.text,
          positive: positive.text,
          negative: negative.text,
        })),
      ),
    },
    open: 'triplets.jsonl',
    holds: { ...ALL_TEXTS, examples: 'pairs' },
    split: 'train',
    broken: { file: 'triplets.jsonl', line: '{"anchor": "q", "positive": ["p", 7]}' },
  },
  {
    name: 'sentence-transformers columns as csv',
    files: {
      'triplets.csv': `anchor,positive,negative\n${quoted(
        PAIRS.map(({ query, positive, negative }) => [query.text, positive.text, negative.text]),
        ',',
      )}`,
    },
    open: 'triplets.csv',
    holds: { ...ALL_TEXTS, examples: 'pairs' },
    split: 'train',
    broken: { file: 'triplets.csv', line: 'only,two' },
  },
  {
    name: 'dpr passages',
    files: {
      'psgs.tsv': `id\ttext\ttitle\n${quoted(
        DOCUMENTS.map(({ id, title, text }) => [id, text, title]),
        '\t',
      )}`,
    },
    open: 'psgs.tsv',
    holds: { ids: true, titles: true },
    split: 'test',
    broken: { file: 'psgs.tsv', line: '99\ttext' },
  },
  {
    name: 'csv with mapped columns',
    files: {
      'shop.csv': `sku,name,body text\n${quoted(
        DOCUMENTS.map(({ id, title, text }) => [id, title, text]),
        ',',
      )}`,
      'asked.csv': `number,asked\n${quoted(
        QUERIES.map(({ id, text }) => [id, text]),
        ',',
      )}`,
    },
    open: 'shop.csv',
    options: {
      fields: { id: 'sku', title: 'name', text: ['body text'] },
      queries: 'asked.csv',
      queryFields: { id: 'number', text: ['asked'] },
    },
    holds: { ids: true, titles: true, queries: true },
    split: 'test',
    broken: { file: 'shop.csv', line: '"never closed' },
  },
  {
    name: 'tsv without a header',
    files: { 'docs.tsv': rows(DOCUMENTS.map(({ id, title, text }) => [title, id, text])) },
    open: 'docs.tsv',
    options: { format: 'tsv', columns: ['title', 'id', 'text'] },
    holds: { ids: true, titles: true },
    split: 'test',
    broken: { file: 'docs.tsv', line: 'a\tb\tc\td' },
  },
  {
    name: 'one json list',
    files: { 'docs.json': JSON.stringify(DOCUMENTS) },
    open: 'docs.json',
    holds: { ids: true, titles: true },
    split: 'test',
    broken: { file: 'docs.json', line: ', {}' },
  },
];
