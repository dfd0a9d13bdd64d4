export { cacheFolder } from '../base/cache-folder.js';
export {
  type EncoderConfig,
  type ModelType,
  maxInputLength,
  parseEncoderConfig,
  readEncoderConfig,
  toHuggingFaceConfig,
} from './config.js';
export { CrossEncoder, type CrossEncoderOptions, type ScoreOptions } from './cross-encoder.js';
export { type CrossEncoderSpec, crossEncoderParameters } from './cross-encoder-graph.js';
export {
  type CrossEncoderModel,
  createCrossEncoder,
  exportCrossEncoder,
  fillCrossEncoderFolder,
  joinTexts,
  type LoadCrossEncoderOptions,
  loadCrossEncoder,
  saveCrossEncoder,
} from './cross-encoder-model.js';
export { isCrossEncoder } from './cross-encoder-names.js';
export {
  type EncodedChunk,
  type EncodeRecordsOptions,
  encodeRecords,
  type IdentifiedText,
} from './encode-records.js';
export { type EncodeOptions, Encoder, type EncoderOptions } from './encoder.js';
export { type EncoderSpec, embeddingSize, encoderParameters, type HeadConfig } from './encoder-graph.js';
export {
  createEncoderModel,
  type EncoderModel,
  fillEncoderFolder,
  type HeadOptions,
  type LoadModelOptions,
  loadEncoderModel,
  prepareText,
  type SaveModelOptions,
  type ScratchModelOptions,
  saveEncoderModel,
} from './encoder-model.js';
export type { FloatType, StorageType } from './float-storage.js';
export {
  type DenseLayer,
  HEAD_LAYER_NORM_EPS,
  HEAD_NAMES,
  type HeadDescription,
  headTensors,
  type LayerNormLayer,
  type Similarity,
} from './head.js';
export { downloadModel, type HubModel, type HubOptions } from './hub.js';
export { type CardMeasure, type ModelCard, renderModelCard } from './model-card.js';
export {
  fillModelFolder,
  type ModelContent,
  type ModelFolder,
  openModelFolder,
  writeModelFolder,
} from './model-folder.js';
export { exportOnnx } from './onnx-export.js';
export { batchByTokens, groupByLength, type TokenizedText } from './packed-batch.js';
export { SafetensorsFile, type WriteSafetensorsOptions, writeSafetensors } from './safetensors.js';
export type { TensorInfo } from './safetensors-header.js';
export type { TextSettings } from './sentence-transformers.js';
export { type ModelSource, type OpenModel, openModel, resolveModel } from './source.js';
export { elementCount, type NamedTensor } from './tensor.js';
export { idsPath, VectorFile, type VectorFileOptions, VectorFileWriter } from './vector-file.js';
export { openWeights, type Weights } from './weights.js';
