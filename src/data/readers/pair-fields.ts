/** Which fields or columns hold the two sides of a pair. */
export interface PairFields {
  /** What asks. */
  query: string;
  /** What answers. */
  document: string;
}

const QUERY_NAMES = ['anchor', 'query', 'question', 'prompt', 'instruction', 'input', 'sentence1'];
const DOCUMENT_NAMES = [
  ...['positive', 'answer', 'passage', 'document', 'completion', 'response', 'output', 'context'],
  'sentence2',
];
/** A document has a title and a body as well, but then it has an id and more. */
const TITLE_AND_BODY = { query: 'title', document: 'body' };
const MOST_BESIDE_TITLE = 3;
const ID_NAMES = ['_id', 'id', 'docid', 'doc_id', 'document_id', 'pid', 'passage_id', 'psg_id', 'url'];
/** Texts that may be what answers a query, or documents that say which query they were found with. */
const TEXT_NAMES = ['text', 'content', 'contents', 'body'];
const NEGATIVE_NAME = /^negative(?:_\d+)?$/;

/** The pair that columns of these names hold by the usual names, in any case; undefined where they hold none. */
export function usualPair(names: readonly string[]): PairFields | undefined {
  const query = firstOf(names, QUERY_NAMES);
  const document = firstOf(names, DOCUMENT_NAMES);
  if (query !== undefined && document !== undefined) return { query, document };
  if (names.length > MOST_BESIDE_TITLE || firstOf(names, ID_NAMES) !== undefined) return undefined;
  const [title, body] = [TITLE_AND_BODY.query, TITLE_AND_BODY.document].map((name) => firstOf(names, [name]));
  return title !== undefined && body !== undefined ? { query: title, document: body } : undefined;
}

/** The columns that may be a pair, or a document and something said about it: a person has to say. */
export function doubtfulPair(names: readonly string[]): PairFields | undefined {
  const [query, document] = [firstOf(names, QUERY_NAMES), firstOf(names, TEXT_NAMES)];
  return query !== undefined && document !== undefined ? { query, document } : undefined;
}

/** The columns that hold texts which do not answer the query. */
export function negativeNames(names: readonly string[]): string[] {
  return names.filter((name) => NEGATIVE_NAME.test(plain(name)));
}

/** The column of that name, in any case. */
export function columnNamed(names: readonly string[], wanted: string): string | undefined {
  return names.find((name) => name === wanted) ?? firstOf(names, [plain(wanted)]);
}

function firstOf(names: readonly string[], wanted: readonly string[]): string | undefined {
  for (const each of wanted) {
    const found = names.find((name) => plain(name) === each);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `Sentence 1` and `sentence-1` are `sentence1` to a person, `Negative 2` is `negative_2`. */
function plain(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
    .replace(/^sentence_(\d)$/, 'sentence$1');
}
