import { join } from 'node:path';
import { NearmissError } from '../../base/errors.js';
import { writeDirectoryAtomic } from '../../base/files.js';
import type { FolderContents } from '../../base/folders/folder-contents.js';
import type { Dataset, ScoredId, TrainingExample } from '../dataset.js';
import { writeQrels } from '../qrels.js';
import { TextWriter } from './text-writer.js';

export interface WriteMsmarcoOptions {
  /** Replace a folder of that name that was exported before. */
  overwrite?: boolean;
  onRecord?: () => void;
}

const MSMARCO_FOLDER: FolderContents = {
  what: "a collection in MS MARCO's files",
  files: /^(collection\.tsv|(queries|qrels)\.[^/]+\.tsv|triples\.[^/]+\.jsonl)$/,
};

/**
 * Writes a collection for the tools that read MS MARCO's files (ColBERT, PyLate, Pyserini): `collection.tsv`,
 * `queries.<split>.tsv`, `qrels.<split>.tsv`, and ColBERT's `triples.<split>.jsonl` for training examples. Tables have
 * no quoting, so tabs and line breaks inside texts become blanks, and ids with white space are refused; a title stands
 * before its text.
 *
 * @example
 * await writeMsmarco(await openDataset('data/scifact'), 'export/scifact');
 */
export async function writeMsmarco(
  dataset: Dataset,
  folder: string,
  options: WriteMsmarcoOptions = {},
): Promise<void> {
  const count = options.onRecord ?? (() => undefined);
  const fill = async (temporary: string): Promise<void> => {
    const collection = join(temporary, 'collection.tsv');
    await writeLines(collection, dataset.documents(), count, ({ id, title, text }) =>
      row(id, title ? `${title} ${text}` : text),
    );
    for (const split of await dataset.splits()) {
      const queries = dataset.queries(split);
      await writeLines(join(temporary, `queries.${split}.tsv`), queries, count, ({ id, text }) =>
        row(id, text),
      );
      await writeQrels(join(temporary, `qrels.${split}.tsv`), await dataset.qrels(split), { format: 'trec' });
    }
    for (const split of (await dataset.exampleSplits?.()) ?? []) {
      await writeLines(
        join(temporary, `triples.${split}.jsonl`),
        dataset.examples!(split),
        count,
        colbertLines,
      );
    }
  };
  await writeDirectoryAtomic(folder, fill, { replaces: options.overwrite ? MSMARCO_FOLDER : undefined });
}

async function writeLines<T>(
  path: string,
  records: AsyncIterable<T>,
  count: () => void,
  toLines: (record: T) => string,
): Promise<void> {
  await TextWriter.write(path, async (writer) => {
    for await (const record of records) {
      const full = writer.add(toLines(record));
      if (full) await full;
      count();
    }
  });
}

function row(id: string, text: string): string {
  if (/\s/.test(id)) {
    throw new NearmissError(`id ${JSON.stringify(id)}: expected no white space`, {
      hint: "MS MARCO's tables and judgments separate their columns by it: change the id (`nearmiss data validate` lists such ids)",
    });
  }
  return `${id}\t${text.replace(/[\t\n\r]+/g, ' ')}\n`;
}

/** One n-way line for each positive, with the scores where all have one. */
function colbertLines({ queryId, positives, negatives }: TrainingExample): string {
  const scored = [...positives, ...negatives].every(({ score }) => score !== undefined);
  const entry = ({ id, score }: ScoredId): unknown => (scored ? [id, score] : id);
  return positives
    .map((positive) => `${JSON.stringify([queryId, entry(positive), ...negatives.map(entry)])}\n`)
    .join('');
}
