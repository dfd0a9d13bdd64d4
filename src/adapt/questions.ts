import { readFile } from 'node:fs/promises';
import { hasCode, NearmissError, shorten } from '../base/errors.js';
import type { Dataset, Judgment } from '../data/index.js';

/** Questions of people with the documents that answer them. */
export interface Questions {
  queries: { id: string; text: string }[];
  judgments: Judgment[];
}

const QUERY_FIELDS = ['question', 'query', 'text'];
const DOCUMENT_FIELDS = ['document', 'documents', 'id', 'path', 'answer'];
const HINT =
  'each line is {"question": "how do I …", "document": "guide.md"} or the question, a tab and the document: an id, or the path of a file in the folder';

/**
 * Reads questions with the documents that answer them: JSON lines or tab-separated lines. A document is named by its id, or by
 * the path of its file, whose passages then all answer.
 */
export async function readQuestions(file: string, dataset: Dataset): Promise<Questions> {
  const lines = (await readLines(file)).map((line, i) => ({ line: line.trim(), number: i + 1 }));
  const asked = lines.flatMap(({ line, number }) => (line === '' ? [] : [readLine(line, file, number)]));
  if (asked.length === 0) throw new NearmissError(`${file}: no questions`, { hint: HINT });
  const wanted = new Set(asked.flatMap(({ documents }) => documents));
  const found = new Map<string, string[]>();
  const add = (name: string, id: string): void => {
    if (wanted.has(name)) found.set(name, [...(found.get(name) ?? []), id]);
  };
  for await (const { id, metadata } of dataset.documents()) {
    add(id, id);
    if (typeof metadata?.path === 'string' && metadata.path !== id) add(metadata.path, id);
  }
  const questions: Questions = { queries: [], judgments: [] };
  for (const { text, documents, number } of asked) {
    const id = `question-${number}`;
    questions.queries.push({ id, text });
    for (const name of documents) {
      const ids = found.get(name);
      if (!ids) {
        throw new NearmissError(
          `${file}:${number}: field "document": the collection has no document ${JSON.stringify(shorten(name))}`,
          { hint: 'give an id as search shows it, or the path of a file in the folder' },
        );
      }
      for (const documentId of ids) questions.judgments.push({ queryId: id, documentId, grade: 1 });
    }
  }
  return questions;
}

interface Asked {
  text: string;
  documents: string[];
  number: number;
}

function readLine(line: string, file: string, number: number): Asked {
  const wrong = (message: string): NearmissError =>
    new NearmissError(`${file}:${number}: ${message}`, { hint: HINT });
  if (!line.startsWith('{')) {
    const [text, ...documents] = line.split('\t').map((cell) => cell.trim());
    if (text === '' || documents.length === 0) {
      throw wrong(`expected a question, a tab and a document, got ${JSON.stringify(shorten(line))}`);
    }
    return { text, documents: documents.filter((name) => name !== ''), number };
  }
  let record: Record<string, unknown>;
  try {
    record = JSON.parse(line);
  } catch {
    throw wrong('expected JSON, got something else');
  }
  const text = QUERY_FIELDS.map((field) => record[field]).find((value) => typeof value === 'string');
  if (typeof text !== 'string' || text.trim() === '') throw wrong('field "question": expected a text');
  const named = DOCUMENT_FIELDS.map((field) => record[field]).find((value) => value !== undefined);
  const documents = (Array.isArray(named) ? named : [named]).filter((name) => typeof name === 'string');
  if (documents.length === 0) throw wrong('field "document": expected an id or a path, or a list of them');
  return { text, documents, number };
}

async function readLines(file: string): Promise<string[]> {
  try {
    return (await readFile(file, 'utf8')).split(/\r?\n/);
  } catch (error) {
    const why = hasCode(error, 'ENOENT') ? 'no such file' : `cannot read: ${(error as Error).message}`;
    throw new NearmissError(`${file}: ${why}`, { hint: HINT });
  }
}
