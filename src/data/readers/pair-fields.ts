import { isObject } from '../../base/is-object.js';
import { fieldAt, fieldNames, plainName } from './field-path.js';

/** Which fields or columns hold the two sides of a pair. */
export interface PairFields {
  /** What asks. */
  query: string;
  /** What answers. */
  document: string;
}

const QUERY_NAMES = [
  ...['anchor', 'query', 'question', 'prompt', 'instruction', 'input', 'sentence1', 'q', 'user'],
  ...['frage', 'pregunta', 'domanda', 'pergunta', 'вопрос', '问题', '問題', '質問', '질문'],
];
const DOCUMENT_NAMES = [
  ...['positive', 'answer', 'passage', 'document', 'completion', 'response', 'output', 'context'],
  ...['sentence2', 'a', 'reply', 'assistant'],
  ...['antwort', 'réponse', 'reponse', 'respuesta', 'risposta', 'resposta', 'ответ', '答案', '回答', '답변'],
];
/** A document has a title and a body as well, but then it has an id and more. */
const TITLE_AND_BODY = { query: 'title', document: 'body' };
const MOST_BESIDE_TITLE = 3;
const ID_NAMES = ['_id', 'id', 'docid', 'doc_id', 'document_id', 'pid', 'passage_id', 'psg_id', 'url'];
/** Texts that may be what answers a query, or documents that say which query they were found with. */
const TEXT_NAMES = ['text', 'content', 'contents', 'body'];
/** Words that say so in a longer name; others, such as input or document, mean other things there. */
const ASKING_WORDS = ['query', 'question', 'prompt', 'frage', 'pregunta', 'domanda', 'pergunta'];
const ANSWERING_WORDS = [
  ...['answer', 'response', 'reply', 'completion', 'antwort', 'réponse', 'respuesta', 'risposta', 'resposta'],
];
/** What stands beside a text: its id, how many, when, who. */
const NO_TEXT = [
  'id',
  'ids',
  'count',
  'number',
  'score',
  'rank',
  'date',
  'time',
  'type',
  'start',
  'by',
  'url',
];
const NEGATIVE_NAME = /^negative(?:_\d+)?$/;

/** The pair that columns of these names hold by the usual names, in any case; undefined where they hold none. */
export function usualPair(names: readonly string[]): PairFields | undefined {
  const query = firstOf(names, QUERY_NAMES);
  const document = firstOf(names, DOCUMENT_NAMES);
  if (query !== undefined && document !== undefined) return { query, document };
  const longer = longerPair(names);
  if (longer !== undefined) return longer;
  if (names.length > MOST_BESIDE_TITLE || firstOf(names, ID_NAMES) !== undefined) return undefined;
  const [title, body] = [TITLE_AND_BODY.query, TITLE_AND_BODY.document].map((name) => firstOf(names, [name]));
  return title !== undefined && body !== undefined ? { query: title, document: body } : undefined;
}

/** `Customer Question` and `Best reply (final)`: a question and an answer by one of their words, where nothing else is either. */
function longerPair(names: readonly string[]): PairFields | undefined {
  const withWord = (words: readonly string[]): string[] =>
    names.filter((name) => {
      const own = plainName(name).split(/[^\p{L}\p{N}]+/u);
      return own.some((word) => words.includes(word)) && !own.some((word) => NO_TEXT.includes(word));
    });
  const [queries, documents] = [withWord(ASKING_WORDS), withWord(ANSWERING_WORDS)];
  const isPair = queries.length === 1 && documents.length === 1 && queries[0] !== documents[0];
  return isPair ? { query: queries[0], document: documents[0] } : undefined;
}

/** The columns that may be a pair, or a document and something said about it: a person has to say. */
export function doubtfulPair(names: readonly string[]): PairFields | undefined {
  const [query, document] = [firstOf(names, QUERY_NAMES), firstOf(names, TEXT_NAMES)];
  return query !== undefined && document !== undefined ? { query, document } : undefined;
}

/** Who says something in a conversation, and what, by their usual names. */
const SPEAKER_NAMES = ['role', 'from', 'speaker', 'author'];
const SAID_NAMES = ['content', 'value', 'text', 'message'];
const ASKERS = ['user', 'human', 'customer', 'prompter'];
const ANSWERERS = ['assistant', 'gpt', 'model', 'bot', 'agent', 'chatgpt'];

/**
 * The fields of a record that a person most likely means as a pair, to show how they are named: in a conversation what
 * is asked first and the answer to it, else the first two that hold more than a word, else the first two.
 */
export function likelyPair(fields: Record<string, unknown>): Partial<PairFields> {
  const names = fieldNames(fields);
  const texts = names.filter((name) => {
    const value = fieldAt(fields, name)?.value;
    return typeof value === 'string' && /\s/.test(value.trim());
  });
  const [query, document] = texts.length > 1 ? texts : names;
  return conversationPair(fields) ?? { query, document };
}

function conversationPair(fields: Record<string, unknown>): PairFields | undefined {
  for (const [name, turns] of Object.entries(fields)) {
    if (!Array.isArray(turns) || !turns.every(isObject)) continue;
    const saidBy = (speakers: readonly string[], after: number): number =>
      turns.findIndex((turn, nth) => {
        const speaker = firstOf(Object.keys(turn), SPEAKER_NAMES);
        return nth > after && speaker !== undefined && speakers.includes(String(turn[speaker]).toLowerCase());
      });
    const asked = saidBy(ASKERS, -1);
    const answered = saidBy(ANSWERERS, asked);
    const said = asked < 0 ? undefined : firstOf(Object.keys(turns[asked]), SAID_NAMES);
    if (said === undefined || answered < 0) continue;
    return { query: `${name}.${asked}.${said}`, document: `${name}.${answered}.${said}` };
  }
  return undefined;
}

/** Columns that say whether the two sides belong together. */
const LABEL_NAMES = ['label', 'labels', 'score', 'relevance', 'relevant', 'is_relevant', 'is_duplicate'];
const WRONG = /^(?:-\d.*|0(?:\.0*)?|false|no)$/i;

/** The column by which somebody has judged this pair as wrong, if one does; a grade of 0 or less is that, as in qrels. */
export function judgedWrong(fields: Record<string, unknown>): string | undefined {
  const label = firstOf(Object.keys(fields), LABEL_NAMES);
  return label !== undefined && WRONG.test(String(fields[label]).trim()) ? label : undefined;
}

/** The columns that hold texts which do not answer the query. */
export function negativeNames(names: readonly string[]): string[] {
  return names.filter((name) => NEGATIVE_NAME.test(plainName(name)));
}

function firstOf(names: readonly string[], wanted: readonly string[]): string | undefined {
  for (const each of wanted) {
    const found = names.find((name) => plainName(name) === each);
    if (found !== undefined) return found;
  }
  return undefined;
}
