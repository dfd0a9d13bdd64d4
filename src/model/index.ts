export { cacheFolder } from '../base/folders/cache-folder.js';
export { sizeOf as elementCount } from '../engine/shape.js';
export { CrossEncoder, type CrossEncoderOptions, type ScoreOptions } from './cross-encoder/cross-encoder.js';
export { type CrossEncoderSpec, crossEncoderParameters } from './cross-encoder/cross-encoder-graph.js';
export {
  type CrossEncoderModel,
  createCrossEncoder,
  exportCrossEncoder,
  fillCrossEncoderFolder,
  joinTexts,
  type LoadCrossEncoderOptions,
  loadCrossEncoder,
  saveCrossEncoder,
} from './cross-encoder/cross-encoder-model.js';
export { isCrossEncoder } from './cross-encoder/cross-encoder-names.js';
export {
  type EncodeCollectionOptions,
  type EncodedShard,
  encodeCollection,
} from './encoder/collection/encode-collection.js';
export { type EncodeNumberedOptions, encodeNumbered } from './encoder/collection/encode-numbered.js';
export type { EncodedCollection } from './encoder/collection/encoded-collection.js';
export { ShardFolder } from './encoder/collection/shard-folder.js';
export {
  type EncoderConfig,
  type ModelType,
  maxInputLength,
  readEncoderConfig,
  toHuggingFaceConfig,
} from './encoder/config.js';
export { type EncodedTexts, oneRowEach, rowsOf, stackRows } from './encoder/encoded-texts.js';
export { type EncodeOptions, Encoder, type EncoderOptions } from './encoder/encoder.js';
export {
  type EncoderSpec,
  embeddingSize,
  encoderParameters,
  type HeadConfig,
} from './encoder/encoder-graph.js';
export {
  createEncoderModel,
  type EncoderModel,
  type LoadModelOptions,
  loadEncoderModel,
  prepareText,
  type ScratchModelOptions,
  type TextReader,
} from './encoder/encoder-model.js';
export {
  type DenseLayer,
  HEAD_LAYER_NORM_EPS,
  HEAD_NAMES,
  type HeadDescription,
  headTensors,
  type LayerNormLayer,
  type Similarity,
} from './encoder/head.js';
export type { HeadOptions } from './encoder/head-config.js';
export { batchByTokens } from './encoder/packed-batch.js';
export { fillEncoderFolder, saveEncoderModel } from './encoder/save-encoder.js';
export {
  type NumberedTexts,
  type TokenizedText,
  type TokenizedTexts,
  tokenizedTexts,
} from './encoder/tokenized-texts.js';
export { type ExportModelOptions, exportModel } from './folder/export-model.js';
export { type CardMeasure, type ModelCard, renderModelCard } from './folder/model-card.js';
export { type ModelFolder, openModelFolder } from './folder/model-folder.js';
export { type ExportOptions, exportOnnx } from './folder/onnx-export.js';
export type { SaveModelOptions } from './folder/save-model.js';
export type { TextSettings } from './folder/sentence-transformers.js';
export { type ModelSource, type OpenModel, openModel, resolveModel } from './folder/source.js';
export { openWeights, type Weights } from './folder/weights.js';
export { downloadModel, type HubModel, type HubOptions } from './hub/hub.js';
export { type PushedModel, type PushOptions, pushModel } from './hub/push-model.js';
export { type MergedModel, type MergeModelsOptions, mergeModels } from './merge/merge-models.js';
export {
  type EncodingSession,
  PRECISIONS,
  type Precision,
  type UsedPrecision,
} from './precision/precision.js';
export { type Bert2RndOptions, createBert2Rnd } from './seq2seq/create-bert2rnd.js';
export { Decoder, type DecoderState } from './seq2seq/decoder.js';
export { generateTokens } from './seq2seq/generate.js';
export type { BeamOptions, GenerateOptions, SampleOptions } from './seq2seq/generate-options.js';
export { Likelihood } from './seq2seq/likelihood.js';
export type { Seq2SeqNetwork, Seq2SeqShape, Seq2SeqSpec } from './seq2seq/network.js';
export {
  isSeq2Seq,
  loadSeq2Seq,
  readSeq2SeqWeights,
  type Seq2SeqModel,
  type Seq2SeqWeights,
  saveSeq2Seq,
} from './seq2seq/seq2seq-model.js';
export type { FloatType, StorageType } from './tensors/float-storage.js';
export { SafetensorsFile, type WriteSafetensorsOptions, writeSafetensors } from './tensors/safetensors.js';
export type { TensorInfo } from './tensors/safetensors-header.js';
export type { NamedTensor } from './tensors/tensor.js';
export { idsPath, VectorFile, type VectorFileOptions, VectorFileWriter } from './tensors/vector-file.js';
