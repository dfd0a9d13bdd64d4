import { rowsOf } from '../../../model/encoder/encoded-texts.js';
import type { EngineSearch, VersionShape } from '../engine.js';
import { candidatesFor, meanOf } from '../means.js';
import { rowsJson, sparseJson, vectorJson } from '../vector-json.js';
import { hasMeans, searchParams, VECTORS } from './qdrant-layout.js';

/** The searches of each query, as JSON. */
export function searchJson(
  search: EngineSearch,
  shape: VersionShape,
  filter: Record<string, unknown> | undefined,
): string[] {
  const { rows, sparse, k, exact, ids } = search;
  const common = JSON.stringify({
    limit: k,
    with_payload: ids ? ['id'] : false,
    ...(filter && { filter }),
  }).slice(1);
  const parts = (values: Record<string, string>): string =>
    Object.entries(values)
      .map(([name, json]) => `${JSON.stringify(name)}:${json},`)
      .join('');
  if (sparse) {
    return Array.from({ length: sparse.offsets.length - 1 }, (_, i) => {
      const [from, to] = [sparse.offsets[i], sparse.offsets[i + 1]];
      const query = sparseJson(sparse.terms.subarray(from, to), sparse.weights.subarray(from, to));
      return `{${parts({ query, using: JSON.stringify(VECTORS.sparse) })}${common}`;
    });
  }
  if (!rows) return [];
  const params = JSON.stringify(searchParams(shape, search));
  const using = JSON.stringify(VECTORS.rows);
  return Array.from({ length: rows.offsets.length - 1 }, (_, i) => {
    const own = rowsOf(rows, i);
    const dimension = shape.dimension ?? own.length;
    const query = shape.compare === 'max-sim' ? rowsJson(own, dimension) : vectorJson(own);
    if (exact || !hasMeans(shape)) return `{${parts({ query, using, params })}${common}`;
    const mean = vectorJson(meanOf(own, dimension));
    const prefetch = `{${parts({ query: mean, using: JSON.stringify(VECTORS.mean), params })}"limit":${candidatesFor(k)}${
      filter ? `,"filter":${JSON.stringify(filter)}` : ''
    }}`;
    return `{${parts({ query, using, prefetch })}${common}`;
  });
}
