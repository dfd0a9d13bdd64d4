export type {
  Dataset,
  Document,
  Judgment,
  Qrels,
  Query,
  ScoredId,
  TrainingExample,
} from './dataset.js';
export { fullText } from './dataset.js';
export { ResplitDataset } from './derive/resplit.js';
export { type SampleOptions, sampleDataset } from './derive/sample.js';
export { type SplitBy, type SplitOptions, type SplitResult, splitDataset } from './derive/split.js';
export { DatasetSubset, type SubsetOptions } from './derive/subset.js';
export type { DistributionSummary } from './distribution.js';
export type { FormatName } from './format-names.js';
export { IdTable } from './id-table.js';
export { JUDGED_SPLIT, type Judged, readJudged } from './judged/judged-split.js';
export { leavingOutFiles } from './leaving-out-files.js';
export { describeLeftOut } from './left-out.js';
export { GENERATED_SPLIT, isMadeSplit, MADE_SPLIT } from './made-splits.js';
export { type OpenOptions, openDataset } from './open.js';
export { type PairsOptions, pairsDataset, type TextPair } from './pairs-dataset.js';
export { formatProblem, type OnProblem, type Problem } from './problem.js';
export { type QrelsFormat, readQrels, writeQrels } from './qrels.js';
export type { FieldNames } from './readers/fields.js';
export { FOLDER_EXTENSIONS, type OpenFolderOptions, openFolder } from './readers/folder.js';
export { type DatasetStats, datasetStats, type SplitOverlap, splitOverlaps } from './stats.js';
export {
  documentTexts,
  fingerprintTexts,
  type OpenTokenCacheOptions,
  openTokenCache,
  queryTexts,
  type TextSource,
} from './tokens/token-cache.js';
export { TokenCache } from './tokens/token-cache-reader.js';
export type { TextRecord } from './tokens/token-cache-writer.js';
export { type ValidateOptions, type ValidationReport, validateDataset } from './validate.js';
export { openReverseDictionary, type ReverseDictionaryOptions, TOPICS, type Topic } from './wordnet/index.js';
export { type WriteBeirOptions, type WrittenCounts, writeBeir } from './writers/beir.js';
export { type WriteMsmarcoOptions, writeMsmarco } from './writers/msmarco.js';
