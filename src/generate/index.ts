export { EndpointGenerator, type EndpointOptions } from './endpoint-generator.js';
export { expandDataset, passagesByDocument, queriesByDocument } from './expand.js';
export { filterQueries, type PairScoring, type QueriedDocument } from './filter-queries.js';
export {
  type GenerateCollectionOptions,
  type GenerateOutcome,
  generateCollection,
  passageText,
  passageTexts,
} from './generate-collection.js';
export {
  answersOfGenerated,
  type GeneratedCollection,
  type GeneratedCollectionOptions,
  generatedCollection,
} from './generated-collection.js';
export {
  GENERATED_FILE,
  GeneratedFile,
  type GeneratedQueries,
  generatedFile,
  readGenerated,
  writeGenerated,
} from './generated-file.js';
export { GENERATOR, isEndpoint, requireService } from './named-generator.js';
export { openGenerator, type WriteOptions } from './open-generator.js';
export { type Example, queriesIn, renderPrompt } from './prompt.js';
export { distinctQueries, type Passage, type QueryGenerator, type Spent } from './query-generator.js';
export { Seq2SeqGenerator, type Seq2SeqGeneratorOptions } from './seq2seq-generator.js';
