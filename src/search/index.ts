export { BatchedEmbedder, type BatchedEmbedderOptions } from './batching/batched-embedder.js';
export { Batcher, type BatcherOptions } from './batching/batcher.js';
export { DenseIndex } from './dense-index.js';
export type { DocumentStore } from './document-store.js';
export { StoredDocuments } from './documents/stored-documents.js';
export { type Embedder, type EmbedderInfo, LocalEmbedder, type TextUse } from './embedder.js';
export { countFacets, type Facet, type FacetOptions, type Facets } from './facets/count-facets.js';
export {
  compileFilter,
  type DocumentFilter,
  documentFilterSchema,
  type FieldCondition,
  type FilterMatcher,
} from './filter/filter.js';
export { parseFilter } from './filter/filter-text.js';
export { FilteredDocuments } from './filter/filtered-documents.js';
export { KnownFields, UnknownFieldError } from './filter/known-fields.js';
export { type GroupedHit, type GroupOptions, searchGroups } from './group-hits.js';
export { compareHits } from './hits.js';
export {
  type ExportResult,
  type LiveLimits,
  type LiveSearcher,
  type OpenLiveOptions,
  openLiveSearcher,
  type PendingWrites,
  type RemoveResult,
  type UpsertResult,
} from './live/index.js';
export { openSearcher } from './open/open-searcher.js';
export type { TunedFusion } from './open/tuned-fusion.js';
export { Bm25Retriever, type Bm25RetrieverOptions } from './retrievers/bm25-retriever.js';
export { type CascadeOptions, CascadeRetriever } from './retrievers/cascade-retriever.js';
export { openCrossEncoder } from './retrievers/cross-encoder-reranker.js';
export { DenseRetriever } from './retrievers/dense-retriever.js';
export { type HybridOptions, HybridRetriever } from './retrievers/hybrid-retriever.js';
export type { Mode } from './retrievers/mode.js';
export { searchModes } from './retrievers/modes.js';
export type { Corpus, LiveMode, OpenMode } from './retrievers/open-mode.js';
export { openReranker } from './retrievers/open-reranker.js';
export type { Reranker } from './retrievers/reranker.js';
export type {
  Hit,
  RetrieveOptions,
  Retriever,
  ScorePart,
  SearchMode,
} from './retrievers/retriever.js';
export type { FoundDocument, Search, SearchOptions } from './search-documents.js';
export type {
  CascadeChoice,
  EncodingWork,
  OpenSearcherOptions,
  PrepareStep,
  Searcher,
  SearchVectorsOptions,
} from './searcher.js';
export { makeSnippet, type QueryTerms, type Snippet, type SnippetOptions } from './snippet/snippet.js';
export { type TuneHybridOptions, tuneHybrid } from './tune-hybrid.js';
