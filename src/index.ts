/**
 * nearmiss: train, evaluate and serve dense text retrievers. The names used most are here; everything public is in
 * its room, as a namespace (`import { loss } from 'nearmiss'`) or by subpath
 * (`import { Encoder } from 'nearmiss/model'`).
 */
export * as adaptation from './adapt/index.js';
export { adapt } from './adapt/index.js';
export * as analyze from './analyze/index.js';
export { NearmissError, UsageError } from './base/errors.js';
export * as data from './data/index.js';
export { type Dataset, type Document, openDataset, type Query } from './data/index.js';
export * as engine from './engine/index.js';
export * as evaluation from './evaluate/index.js';
export { evaluate, readRun, writeRun } from './evaluate/index.js';
export * as examples from './examples/index.js';
export * as generate from './generate/index.js';
export { Seq2SeqGenerator } from './generate/index.js';
export * as bm25 from './index/bm25/index.js';
export * as vectors from './index/vectors/index.js';
export * as loss from './loss/index.js';
export * as model from './model/index.js';
export {
  createEncoderModel,
  Encoder,
  type EncoderModel,
  loadEncoderModel,
  saveEncoderModel,
} from './model/index.js';
export * as negatives from './negatives/index.js';
export { type Axes, axes } from './recipe/axes.js';
export * as fusion from './search/fusion/index.js';
export * as search from './search/index.js';
export { openSearcher, type Searcher } from './search/index.js';
export * as serve from './serve/index.js';
export * as teacher from './teacher/index.js';
export * as text from './text/index.js';
export { Tokenizer, trainTokenizer } from './text/index.js';
export * as training from './train/index.js';
export { train } from './train/index.js';
