import { NearmissError, shorten } from '../../base/errors.js';
import type { Document } from '../../data/index.js';
import { type CandidateRow, readCandidateRow } from '../../negatives/candidates/candidate-row.js';
import type { CandidateManifest } from '../../negatives/index.js';
import { fixedTableNames } from '../../run/fixed-tables.js';
import type { RunDirectory } from '../../run/run-directory.js';
import type { RunCollection } from './run-collection.js';

/** Characters of a text that are enough to judge whether it answers a query. */
const TEXT_LENGTH = 600;

/** A table of candidates that is on disk: `step-000300` for those a checkpoint mined, or `bm25-3fa94c1e`. */
export interface NegativesTable {
  name: string;
  /** The checkpoint's step, for mined ones. */
  step?: number;
}

export interface ShownDocument {
  id: string;
  title?: string;
  /** Its beginning. */
  text: string;
}

export interface MinedNegative {
  /** In the original ranking, from 1, before anything was excluded. */
  rank: number;
  /** Absent where the source has none. */
  score?: number;
  document: ShownDocument;
  /** Whether the version before had it as a candidate, too; absent where there is none before. */
  wasCandidate?: boolean;
}

/** Where candidates come from, what was looked at, and what rules have removed. */
export type NegativesProvenance = Pick<
  CandidateManifest,
  'source' | 'depth' | 'index' | 'rules' | 'report' | 'createdBy'
> & {
  name: string;
  /** The step of the checkpoint that ranked this query; with rotating refreshes not always the table's own. */
  checkpoint?: number;
  /** The version that `wasCandidate` compares with. */
  previous?: number;
};

export interface NegativesOfQuery {
  provenance: NegativesProvenance;
  positives: ShownDocument[];
  /** How many candidates the query has. */
  count: number;
  negatives: MinedNegative[];
  /** Ranks of the original ranking that a rule has removed. */
  removedRanks: number[];
}

/** What a collection is when it is not the one that a run's tables were mined on. */
export class ChangedCollectionError extends NearmissError {}

/** The tables of candidates that a run has, newest first, those that never change last. */
export async function negativesTables(run: RunDirectory): Promise<NegativesTable[]> {
  const steps = await run.steps('negatives');
  const mined = steps.map((step) => ({ name: `step-${String(step).padStart(6, '0')}`, step })).reverse();
  return [...mined, ...(await fixedTableNames(run)).map((name) => ({ name }))];
}

export interface NegativesOptions {
  run: RunDirectory;
  collection: RunCollection;
  tables: readonly NegativesTable[];
  table: NegativesTable;
  /** The query's place among the training queries. */
  place: number;
  offset: number;
  limit: number;
}

/** A page of the candidates of one training query, with everything that is known of their origin. */
export async function negativesOf(options: NegativesOptions): Promise<NegativesOfQuery> {
  const { run, collection, tables, table, place, offset, limit } = options;
  const row = await readCandidateRow(run.file('negatives', table.name), place);
  checkSameCollection(row.manifest, collection);
  const earlier = tables.find(
    ({ step }) => step !== undefined && table.step !== undefined && step < table.step,
  );
  const before = earlier && new Set((await readCandidateRow(run.file('negatives', earlier.name), place)).ids);
  const { source, depth, index, rules, report, createdBy } = row.manifest;
  const page = Array.from(row.ids.subarray(offset, offset + limit));
  const documents = await collection.documents(page.map((number) => collection.documentId(number)));
  const positives = await collection.documents(collection.positivesAt(place));
  return {
    provenance: {
      name: table.name,
      source,
      depth,
      index,
      rules,
      report,
      createdBy,
      checkpoint: row.checkpoint < 0 ? undefined : row.checkpoint,
      previous: earlier?.step,
    },
    positives: positives.map(shown),
    count: row.ids.length,
    negatives: page.map((number, i) => {
      const score = row.scores[offset + i];
      return {
        rank: row.ranks[offset + i],
        score: Number.isNaN(score) ? undefined : score,
        document: shown(documents[i]),
        wasCandidate: before?.has(number),
      };
    }),
    removedRanks: removedRanks(row),
  };
}

/** Ranks without a candidate. Beyond the collection's size there is nothing to remove. */
function removedRanks({ ranks, manifest }: CandidateRow): number[] {
  const kept = new Set(ranks);
  const deepest = Math.min(manifest.depth, manifest.documents ?? manifest.depth);
  return Array.from({ length: deepest }, (_, i) => i + 1).filter((rank) => !kept.has(rank));
}

function shown({ id, title, text }: Document): ShownDocument {
  return { id, ...(title && { title }), text: shorten(text, TEXT_LENGTH) };
}

function checkSameCollection(manifest: CandidateManifest, collection: RunCollection): void {
  const { queries, documents = collection.documentCount } = manifest;
  if (queries === collection.queryCount && documents === collection.documentCount) return;
  throw new ChangedCollectionError(
    `the negatives were mined for ${queries} queries and ${documents} documents, but the collection now has ${collection.queryCount} and ${collection.documentCount}`,
    { hint: 'restore the collection that the run was started with' },
  );
}
