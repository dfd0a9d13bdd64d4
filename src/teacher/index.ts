export { teachers } from './kinds.js';
export { type LabelledList, type LabelOptions, label } from './label.js';
export { fillLabelFolder, isLabelFolder, type Labels, readLabelFolder } from './label-folder.js';
export { meanOfNormalized, NORMALIZATIONS, type Normalization } from './normalize.js';
export {
  type OpenPairScorerOptions,
  openPairModel,
  PairScorer,
  type ScoringProgress,
} from './pair-scorer.js';
export { PairScorers } from './pair-scorers.js';
export { ScoreCache } from './score-cache.js';
export {
  type TaughtBatch,
  type TaughtTexts,
  type TaughtVectors,
  type Teacher,
  type TeacherContext,
  type TeacherKind,
  type TeacherScores,
  teacherKind,
} from './teacher.js';
