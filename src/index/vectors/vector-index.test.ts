import { vectorIndexConformance } from './vector-index.conformance.js';

vectorIndexConformance({ type: 'flat', storage: 'f32', tolerance: 1e-6, recall: 1 });
vectorIndexConformance({ type: 'flat', storage: 'f16', tolerance: 1e-3, recall: 0.98 });
vectorIndexConformance({ type: 'hnsw', storage: 'f32', tolerance: 1e-6, recall: 0.95 });
vectorIndexConformance({ type: 'hnsw', storage: 'f16', tolerance: 2e-3, recall: 0.95 });
vectorIndexConformance({ type: 'hnsw', storage: 'i8', tolerance: 3e-2, recall: 0.9 });
for (const storage of ['f32', 'f16'] as const) {
  const tolerance = storage === 'f32' ? 1e-6 : 1e-3;
  vectorIndexConformance({ type: 'int8', storage, tolerance, recall: 0.98 });
  vectorIndexConformance({ type: 'binary', storage, tolerance, recall: 0.95 });
}
vectorIndexConformance({
  type: 'int8',
  storage: 'f32',
  name: 'in lists',
  options: { lists: 8, probes: 6 },
  tolerance: 1e-6,
  recall: 0.9,
});
vectorIndexConformance({
  type: 'binary',
  storage: 'f32',
  name: 'in lists',
  options: { lists: 8, probes: 6 },
  tolerance: 1e-6,
  recall: 0.9,
});
