import { z } from 'zod';

const count = z.int().min(0);

export const miningReportSchema = z.object({
  /** Queries whose ranking was looked at. */
  queries: count,
  /** Candidates within the depth, before any rule. */
  ranked: count,
  /** Candidates each rule removed, in the order of the rules; the first rule that objects gets the count. */
  removed: z.record(z.string(), count),
  kept: count,
  /** Queries that have no candidate left. */
  empty: count,
  /** Queries with a known positive within the depth. */
  positivesFound: count,
  /** Mean rank of the kept candidates in the rankings, before exclusions; 0 where none was kept. */
  meanRank: z.number(),
});

/** What mining did: how much each rule removed, and what is left. */
export type MiningReport = z.infer<typeof miningReportSchema>;

export const FORMAT_NAME = 'nearmiss-candidates';
/** Raised whenever an older reader would misread a newer table. */
export const FORMAT_VERSION = 1;

/** How candidates were mined, so that any negative can be traced to its origin. */
const provenanceSchema = z.object({
  /** The kind of negatives: `ann` for the model being trained, `bm25`, `static` for a file, or another. */
  source: z.string(),
  /** The training step of the checkpoint that ranked, for `ann`. */
  checkpoint: count.optional(),
  /** What ranked, for people: the index, the run file or the training file. */
  index: z.string().optional(),
  /** Stands for the documents and queries that the numbers in the table belong to. */
  dataFingerprint: z.string().optional(),
  /** How many documents the collection has. */
  documents: count.optional(),
  rules: z.array(z.object({ name: z.string(), parameters: z.record(z.string(), z.number()) })),
  report: miningReportSchema,
  createdBy: z.string(),
});

/** How candidates were mined. */
export type Provenance = z.infer<typeof provenanceSchema>;

export const manifestSchema = provenanceSchema.extend({
  format: z.literal(FORMAT_NAME),
  version: z.literal(FORMAT_VERSION),
  queries: count,
  /** The last rank that was looked at, and so the most candidates of a query. */
  depth: z.int().min(1),
  /** SHA-256 of the candidates: two tables with the same one serve the same negatives. */
  fingerprint: z.string(),
  files: z.record(z.string(), z.object({ bytes: count, sha256: z.string() })),
});

/** `manifest.json` of a table's folder. */
export type CandidateManifest = z.infer<typeof manifestSchema>;
