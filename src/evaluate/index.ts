export { type AnswerRanks, findAnswerRanks } from './answer-ranks.js';
export {
  type CompareOptions,
  type Comparison,
  compareRuns,
  largestDifferences,
  type PairedResult,
  type QueryDifference,
  type SignificanceTest,
} from './compare.js';
export { type CompareReportOptions, formatComparison } from './compare-report.js';
export { type EvaluateOptions, type Evaluation, evaluate } from './evaluate.js';
export { hasAnswer } from './has-answer.js';
export type { JudgedRanking } from './judged-ranking.js';
export { kendallTau } from './kendall-tau.js';
export type { Measure } from './measure.js';
export { rankBiasedOverlap, sharedHits } from './overlap.js';
export { parseMeasure, parseMeasureList, parseMeasures } from './parse-measure.js';
export { type ReadRunOptions, readRun } from './read-run.js';
export { type HitSelection, inRankOrder, makeRun, type Ranking, type Run, selectHits } from './run.js';
export { type Correction, correct } from './significance/correction.js';
export { pairedTTest, type TTest } from './significance/paired-t-test.js';
export { type RandomizationOptions, randomizationTest } from './significance/randomization-test.js';
export { formatTrec } from './trec-format.js';
export { formatRun, type RunFormat, type WriteRunOptions, writeRun } from './write-run.js';
