export type { CandidateData } from './candidates/candidate-data.js';
export { CANDIDATE_FOLDER, type LoadOptions } from './candidates/candidate-files.js';
export { type CandidateRow, readCandidateRow } from './candidates/candidate-row.js';
export { CandidateTable, NONE } from './candidates/candidate-table.js';
export type { CandidateManifest, MiningReport, Provenance } from './candidates/manifest.js';
export { mergeTables, replacedShare, stalestQueries } from './candidates/refreshed-tables.js';
export { type NegativesKind, type NegativesRecipe, negativesKind, rankedOptionsOf } from './kind.js';
export { negatives } from './kinds.js';
export { type Bm25ListsOptions, documentNumbers, listsFromBm25, type QueryText } from './lists/from-bm25.js';
export { type GatheredExamples, gatherExamples } from './lists/from-examples.js';
export { listsFromModel, type ModelListsOptions } from './lists/from-model.js';
export { listsFromRun } from './lists/from-run.js';
export { listsFromTable } from './lists/from-table.js';
export { listsFromVectors, type QueryVectors, type VectorListsOptions } from './lists/from-vectors.js';
export { type DroppedCandidate, type Mined, type MineOptions, mine } from './mine.js';
export {
  fingerprintIds,
  type LoadMiningDataOptions,
  loadMiningData,
  type MiningData,
} from './mining-data.js';
export { type CollectionIds, type IdNumbers, Positives } from './positives.js';
export { RandomSource, type RandomSourceOptions } from './random.js';
export { checkRanked, type RankedOptions, rankedOptions } from './ranked-options.js';
export { type AnswerTexts, answers } from './rules/answers.js';
export { buildRules, type RuleOptions, type RuleTexts } from './rules/build-rules.js';
export { duplicates } from './rules/duplicates.js';
export { knownPositives } from './rules/known-positives.js';
export { margin } from './rules/margin.js';
export { maxScore } from './rules/max-score.js';
export { relativeMargin } from './rules/relative-margin.js';
export type { CandidateRule, Objection, RankedList } from './rules/rule.js';
export { skipRanks } from './rules/skip-ranks.js';
export type { Negative, NegativeSource, PositivesOf } from './sampler.js';
export {
  DroppedByRule,
  type DroppedDocument,
  PositiveRanks,
  type Sample,
  type SampleDocument,
  type SampledData,
  takeSamples,
} from './samples.js';
export type { FixedRankings, NegativeSupply, StepExamples, SupplyContext } from './supply.js';
export { type Sampling, TableSource, type TableSourceOptions } from './table-source.js';
export { textFingerprint } from './text-fingerprint.js';
export { TextStore } from './text-store.js';
