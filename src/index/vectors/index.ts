export { type BuildVectorIndexOptions, createVectorIndex, writeVectorIndex } from '../build-vectors.js';
export { type ChangedIndex, changeDocumentIndex, type DocumentChanges } from '../change-documents.js';
export { QuantizedBuilder, type QuantizedOptions } from '../quantized/quantized-builder.js';
export { QuantizedIndex } from '../quantized/quantized-index.js';
export { type WriteDocumentsOptions, writeDocumentIndex } from '../write-documents.js';
export { type Documents, documentFiles, documentsFromIds } from './document-files.js';
export { DocumentIndex, type DocumentIndexOptions } from './document-index.js';
export { FlatBuilder, FlatIndex, type FlatOptions } from './flat.js';
export { HnswBuilder, type HnswOptions } from './hnsw/hnsw-builder.js';
export { HnswIndex } from './hnsw/hnsw-index.js';
export { type CostOptions, vectorIndexBytes, wholeVectorsBytes } from './memory-cost.js';
export { type OpenOptions, openDocumentIndex, openVectorIndex } from './open.js';
export {
  INDEX_TYPES,
  type IndexType,
  type SaveOptions,
  type SearchOptions,
  type SearchResult,
  STORAGES,
  type VectorIndex,
  type VectorIndexBuilder,
  type VectorIndexMetadata,
  type VectorSearcher,
  type VectorStorage,
} from './vector-index.js';
export { openVectorIndexInWorker } from './worker-index.js';
