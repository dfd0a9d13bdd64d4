import { NearmissError } from '../base/errors.js';
import { detach } from '../base/lines.js';
import type { Judgment, Qrels } from './dataset.js';
import { type OnProblem, RecordContext, throwProblem } from './problem.js';
import { lineSource, parseObject } from './readers/record-lines.js';
import { nonEmpty, type RecordSource } from './sources.js';
import { TextWriter } from './writers/text-writer.js';

/** `trec`: `qid 0 docid grade`; `beir`: `query-id⇥corpus-id⇥score` with a header line. */
export type QrelsFormat = 'trec' | 'beir';

/**
 * Reads relevance judgments: TREC (`qid 0 docid grade`, blanks or tabs, so MS MARCO's too), BEIR's three columns
 * with or without its header, or JSON lines (`query_id`, `document_id`, `grade` or FlagEmbedding's `qid`, `docid`,
 * `relevance`); plain or gzip. Grades are whole numbers.
 *
 * @example
 * const qrels = await readQrels('qrels.dl19-passage.txt');
 * qrels.get('19335')?.get('1720389'); // 1
 */
export async function readQrels(path: string): Promise<Qrels> {
  return collectQrels(nonEmpty(qrelsSource(path), 'judgments'), throwProblem);
}

/** Gathers judgments into a map; the same pair twice is an error when the grades differ. */
export async function collectQrels(source: RecordSource<Judgment>, onProblem: OnProblem): Promise<Qrels> {
  const qrels: Qrels = new Map();
  for await (const { value, file, line } of source.read(onProblem)) {
    let judged = qrels.get(value.queryId);
    if (!judged) {
      judged = new Map();
      qrels.set(detach(value.queryId), judged);
    }
    const before = judged.get(value.documentId);
    if (before === undefined) judged.set(detach(value.documentId), value.grade);
    else reportRepeat(new RecordContext(file, line, onProblem), value, before);
  }
  return qrels;
}

/**
 * Writes judgments, complete or not at all; compressed where the name ends in `.gz`.
 *
 * @example
 * await writeQrels('qrels.txt', qrels, { format: 'trec' });
 */
export async function writeQrels(
  path: string,
  qrels: Qrels,
  options: { format?: QrelsFormat } = {},
): Promise<void> {
  const trec = options.format === 'trec';
  await TextWriter.write(path, async (writer) => {
    if (!trec) await writer.add('query-id\tcorpus-id\tscore\n');
    for (const [queryId, judged] of qrels) {
      checkId(queryId, trec);
      for (const [documentId, grade] of judged) {
        checkId(documentId, trec);
        const full = writer.add(
          trec ? `${queryId} 0 ${documentId} ${grade}\n` : `${queryId}\t${documentId}\t${grade}\n`,
        );
        if (full) await full;
      }
    }
  });
}

/** A qrels file as a stream of judgments. */
export function qrelsSource(file: string): RecordSource<Judgment> {
  return lineSource(file, (text, at) =>
    at.line === 1 && isHeader(text) ? undefined : parseJudgment(text, at),
  );
}

function parseJudgment(text: string, at: RecordContext): Judgment | undefined {
  const columns = text.startsWith('{"') ? jsonColumns(text, at) : splitColumns(text);
  if (!columns) return undefined;
  if (columns.length !== 3 && columns.length !== 4) {
    return at.error(
      'wrong-columns',
      `expected 3 columns (query-id, corpus-id, score) or 4 (query-id, 0, document-id, grade), got ${columns.length}`,
      { hint: 'separate the columns by tabs, or by blanks where no id contains one' },
    );
  }
  const [queryId, documentId] = columns.length === 4 ? [columns[0], columns[2]] : columns;
  const gradeText = columns[columns.length - 1].trim();
  const grade = Number(gradeText);
  if (queryId === '') return at.error('empty-id', 'expected an id, got nothing', { field: 'query-id' });
  if (documentId === '') return at.error('empty-id', 'expected an id, got nothing', { field: 'corpus-id' });
  if (gradeText === '' || !Number.isSafeInteger(grade)) {
    return at.error('wrong-grade', `expected a whole number, got ${JSON.stringify(gradeText)}`, {
      field: 'score',
      hint: 'grades are 0 (not relevant), 1, 2, …',
    });
  }
  return { queryId, documentId, grade };
}

/** Tabs where there are enough of them (ids may then contain blanks), any white space otherwise. */
function splitColumns(text: string): string[] {
  const tabbed = text.split('\t');
  return tabbed.length === 3 || tabbed.length === 4 ? tabbed : text.trim().split(/\s+/);
}

const JSON_COLUMNS = [
  ['query_id', 'qid', 'query-id'],
  ['document_id', 'docid', 'doc_id', 'corpus-id', 'corpus_id'],
  ['grade', 'relevance', 'score', 'rel'],
];

function jsonColumns(text: string, at: RecordContext): string[] | undefined {
  const record = parseObject(text, at);
  if (!record) return undefined;
  const columns: string[] = [];
  for (const names of JSON_COLUMNS) {
    const name = names.find((candidate) => Object.hasOwn(record, candidate));
    const value = name === undefined ? undefined : record[name];
    if (typeof value !== 'string' && typeof value !== 'number') {
      return at.wrongType(name ?? names[0], 'a string or a number', value);
    }
    columns.push(String(value));
  }
  return columns;
}

function isHeader(text: string): boolean {
  const columns = splitColumns(text);
  return (
    columns.length >= 3 && columns.length <= 4 && /^[a-z][a-z_-]*$/i.test(columns[columns.length - 1].trim())
  );
}

function reportRepeat(at: RecordContext, { queryId, documentId, grade }: Judgment, before: number): void {
  const pair = `query ${JSON.stringify(queryId)}, document ${JSON.stringify(documentId)}`;
  if (grade === before) at.warning('repeated-judgment', `${pair}: judged twice, with the same grade`);
  else {
    at.error('contradicting-judgment', `${pair}: judged ${before} and ${grade}`, {
      hint: 'keep one of the two lines',
    });
  }
}

/** An id that contains the separator would be read back as two columns. */
function checkId(id: string, trec: boolean): void {
  if (trec ? !/\s/.test(id) : isQrelsId(id)) return;
  throw new NearmissError(
    `id ${JSON.stringify(id)}: expected no ${trec ? 'white space' : 'tabs or line breaks'}`,
    { hint: UNWRITABLE_ID },
  );
}

/** What to do with an id that no qrels file can hold. */
export const UNWRITABLE_ID = 'qrels files separate their columns by it: change the id';

/** Whether judgments can name an id in BEIR's files, which ours are. */
export function isQrelsId(id: string): boolean {
  return !/[\t\n\r]/.test(id);
}
