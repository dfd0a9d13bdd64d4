import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { NearmissError } from '../../base/errors.js';
import { writeDirectoryAtomic } from '../../base/files.js';
import type { FolderContents } from '../../base/folders/folder-contents.js';
import type { Dataset, Document, Query } from '../dataset.js';
import { IdTable } from '../id-table.js';
import { writeQrels } from '../qrels.js';
import { TextWriter } from './text-writer.js';
import { tevatronLine } from './training-lines.js';

export interface WriteBeirOptions {
  /** Compress corpus, queries and examples. */
  gzip?: boolean;
  /** Replace a BEIR folder of that name. */
  overwrite?: boolean;
  /** Called for each document, query and example written. */
  onRecord?: (kind: 'documents' | 'queries' | 'examples') => void;
}

/** FlagEmbedding's names are those of a BEIR folder, too, but nothing that is written here. */
const BEIR_FOLDER: FolderContents = {
  what: 'a BEIR folder',
  files: /^((corpus|queries)\.jsonl|qrels\/[^/]+\.tsv|examples\/[^/]+\.jsonl)(\.gz)?$/,
};

/** How much was written. */
export interface WrittenCounts {
  documents: number;
  queries: number;
  /** By split. */
  judgments: Record<string, number>;
  /** By split. */
  examples: Record<string, number>;
  /** Judgments whose query or document is not in the collection; they are written as they are. */
  dangling: number;
}

/**
 * Writes a collection as a BEIR folder, as a stream and all or nothing. Training examples go to
 * `examples/<split>.jsonl` in Tevatron's form with ids.
 *
 * @example
 * await writeBeir(await openDataset('nq-train.json'), 'data/nq', { gzip: true });
 */
export async function writeBeir(
  dataset: Dataset,
  folder: string,
  options: WriteBeirOptions = {},
): Promise<WrittenCounts> {
  const judgments = new Map<string, number>();
  const examples = new Map<string, number>();
  const counts = { documents: 0, queries: 0, dangling: 0 };
  const ids = { documents: new IdTable(), queries: new IdTable() };
  const ending = options.gzip ? '.jsonl.gz' : '.jsonl';
  const fill = async (temporary: string): Promise<void> => {
    counts.documents = await writeRecords(
      join(temporary, `corpus${ending}`),
      dataset.documents(),
      documentLine,
      ({ id }) => {
        ids.documents.add(id);
        options.onRecord?.('documents');
      },
    );
    if (counts.documents === 0) {
      throw new NearmissError(`${dataset.name}: it has no documents`, {
        hint: 'files with ids only need the collection beside them: --documents FILE (and --queries FILE)',
      });
    }
    counts.queries = await writeRecords(
      join(temporary, `queries${ending}`),
      dataset.queries(),
      queryLine,
      ({ id }) => {
        ids.queries.add(id);
        options.onRecord?.('queries');
      },
    );
    counts.dangling = await writeJudgments(dataset, join(temporary, 'qrels'), ids, judgments);
    for (const split of (await dataset.exampleSplits?.()) ?? []) {
      const written = await writeRecords(
        join(temporary, 'examples', `${split}${ending}`),
        dataset.examples!(split),
        tevatronLine,
        () => options.onRecord?.('examples'),
      );
      examples.set(split, written);
    }
  };
  await writeDirectoryAtomic(folder, fill, { replaces: options.overwrite ? BEIR_FOLDER : undefined });
  return { ...counts, judgments: Object.fromEntries(judgments), examples: Object.fromEntries(examples) };
}

/** Gives how many point nowhere. */
async function writeJudgments(
  dataset: Dataset,
  folder: string,
  ids: { documents: IdTable; queries: IdTable },
  written: Map<string, number>,
): Promise<number> {
  let dangling = 0;
  await mkdir(folder);
  for (const split of await dataset.splits()) {
    const qrels = await dataset.qrels(split);
    await writeQrels(join(folder, `${split}.tsv`), qrels);
    let judgments = 0;
    for (const [queryId, judged] of qrels) {
      judgments += judged.size;
      const known = ids.queries.has(queryId);
      for (const id of judged.keys()) if (!known || !ids.documents.has(id)) dangling++;
    }
    written.set(split, judgments);
  }
  return dangling;
}

async function writeRecords<T>(
  path: string,
  records: AsyncIterable<T>,
  toLine: (record: T) => string,
  onRecord: (record: T) => void,
): Promise<number> {
  let written = 0;
  await TextWriter.write(path, async (writer) => {
    for await (const record of records) {
      const full = writer.add(`${toLine(record)}\n`);
      if (full) await full;
      written++;
      onRecord(record);
    }
  });
  return written;
}

function documentLine({ id, title = '', text, metadata }: Document): string {
  return JSON.stringify({ _id: id, title, text, metadata });
}

function queryLine({ id, text, metadata }: Query): string {
  return JSON.stringify({ _id: id, text, metadata });
}
