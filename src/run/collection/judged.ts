import { z } from 'zod';
import { exists } from '../../base/files.js';
import { readJsonFile, writeSealedJsonFile } from '../../base/json-file.js';
import type { Dataset } from '../../data/dataset.js';
import { type Judged, readJudged } from '../../data/judged/judged-split.js';
import { sameQuery } from '../../data/judged/query-id.js';
import { openDataset } from '../../data/open.js';
import type { RunDirectory } from '../run-directory.js';

/** What people had judged when a run began, where it learns from that or measures on it: they may go on judging. */
const JUDGED_FILE = 'judged.json';
/** Whose queries may be learned from; all other splits measure. */
const TRAIN_SPLIT = 'train';

const takenSchema = z.object({
  queries: z.array(z.object({ id: z.string(), text: z.string() })),
  judgments: z.array(z.object({ queryId: z.string(), documentId: z.string(), grade: z.int() })),
  measuredElsewhere: z.int(),
  unknownDocuments: z.int(),
});

/** What is taken of what people judged, and what is not. */
export interface TakenJudgments extends Judged {
  /** Queries that the collection measures with, in its own splits. */
  measuredElsewhere: number;
  /** Judgments of documents that were added while the collection was served and are not part of it. */
  unknownDocuments: number;
}

/** What a run can learn from what people judged: nothing that it would be measured with, and no foreign documents. */
export async function takeJudgments(collection: string): Promise<TakenJudgments> {
  const { queries, judgments } = await readJudged(collection);
  const dataset = await openDataset(collection, { judgments: false });
  const measured = await measuredTexts(dataset);
  const usable = queries.filter(({ text }) => !measured.has(sameQuery(text)));
  const ids = new Set(usable.map(({ id }) => id));
  const wanted = judgments.filter(({ queryId }) => ids.has(queryId));
  const known = await knownDocuments(dataset, new Set(wanted.map(({ documentId }) => documentId)));
  const kept = wanted.filter(({ documentId }) => known.has(documentId));
  const judged = new Set(kept.map(({ queryId }) => queryId));
  return {
    queries: usable.filter(({ id }) => judged.has(id)),
    judgments: kept,
    measuredElsewhere: queries.length - usable.length,
    unknownDocuments: wanted.length - kept.length,
  };
}

async function measuredTexts(dataset: Dataset): Promise<Set<string>> {
  const texts = new Set<string>();
  for (const split of await dataset.splits()) {
    if (split === TRAIN_SPLIT) continue;
    for await (const { text } of dataset.queries(split)) texts.add(sameQuery(text));
  }
  return texts;
}

async function knownDocuments(dataset: Dataset, wanted: ReadonlySet<string>): Promise<Set<string>> {
  const known = new Set<string>();
  for await (const { id } of dataset.documents()) if (wanted.has(id)) known.add(id);
  return known;
}

export async function writeRunJudged(run: RunDirectory, taken: TakenJudgments): Promise<void> {
  await writeSealedJsonFile(run.file(JUDGED_FILE), taken);
}

/** What a run took when it began; nothing where it uses none. */
export async function readRunJudged(run: RunDirectory): Promise<TakenJudgments | undefined> {
  const path = run.file(JUDGED_FILE);
  if (!(await exists(path))) return undefined;
  return readJsonFile(path, takenSchema, { hint: 'restore it from a copy, or start another run' });
}

/** What people have judged by now and a run has not learned from. */
export async function judgedSince(collection: string, learned: ReadonlySet<string>): Promise<Judged> {
  const { queries, judgments } = await readJudged(collection);
  return {
    queries: queries.filter(({ id }) => !learned.has(id)),
    judgments: judgments.filter(({ queryId }) => !learned.has(queryId)),
  };
}
