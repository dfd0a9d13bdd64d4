import { vectorIndexConformance } from './vector-index.conformance.js';

vectorIndexConformance({ type: 'flat', storage: 'f32', tolerance: 1e-6, recall: 1 });
vectorIndexConformance({ type: 'flat', storage: 'f16', tolerance: 1e-3, recall: 0.98 });
vectorIndexConformance({ type: 'hnsw', storage: 'f32', tolerance: 1e-6, recall: 0.95 });
vectorIndexConformance({ type: 'hnsw', storage: 'f16', tolerance: 2e-3, recall: 0.95 });
vectorIndexConformance({ type: 'hnsw', storage: 'i8', tolerance: 3e-2, recall: 0.9 });
