export {
  type Example,
  type ExampleSource,
  type ExamplesContext,
  type ExamplesKind,
  type ExampleText,
  examplesKind,
  type OwnQueries,
  type OwnQueriesContext,
} from './example.js';
export { examples, orders } from './kinds.js';
export { fillClusterFolder } from './orders/cluster-folder.js';
export { type BatchOrder, type OrderContext, type OrderKind, orderKind } from './orders/order.js';
export { GENERATED_MAKER, generatedMaker } from './pairs/generated-queries.js';
export { pairMakers } from './pairs/kinds.js';
export { POSITIVE_FIELD } from './pairs/made.js';
export { numberSources } from './pairs/number-sources.js';
export {
  type MadePair,
  type PairMaker,
  type PairPassage,
  type PairSource,
  type PassageLink,
  pairMaker,
} from './pairs/pair-maker.js';
export { pairSources, sourceKey } from './pairs/sources.js';
export {
  type CollectionSurvey,
  type PairSurvey,
  type SampledPair,
  type SurveyOptions,
  surveyPairs,
} from './pairs/survey.js';
export { fillPseudoFolder, type PseudoLabels, readPseudoFolder } from './pseudo-folder.js';
