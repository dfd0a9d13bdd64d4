import { rowsOf } from '../../../model/encoder/encoded-texts.js';
import type { EngineBatch, EngineDocument } from '../engine.js';
import { meanOf } from '../means.js';
import { rowsJson, sparseJson, vectorJson } from '../vector-json.js';
import { payloadOf } from './qdrant-filter.js';
import { VECTORS } from './qdrant-layout.js';

/** What is kept of a document. */
export interface Payload {
  id: string;
  title?: string;
  text?: string;
  metadata?: Record<string, unknown>;
}

/** A document of a batch as a point. */
export function pointJson({ first, documents, rows, sparse, compare, means }: PointBatch, i: number): string {
  const vectors: string[] = [];
  const add = (name: string, json: string): void => void vectors.push(`${JSON.stringify(name)}:${json}`);
  const own = rows && rowsOf(rows, i);
  if (own && own.length > 0) {
    const dimension = rows.vectors.length / rows.offsets[rows.offsets.length - 1];
    add(VECTORS.rows, compare === 'one' ? vectorJson(own) : rowsJson(own, dimension));
    if (means) add(VECTORS.mean, vectorJson(meanOf(own, dimension)));
  }
  if (sparse && sparse.offsets[i + 1] > sparse.offsets[i]) {
    const [from, to] = [sparse.offsets[i], sparse.offsets[i + 1]];
    add(VECTORS.sparse, sparseJson(sparse.terms.subarray(from, to), sparse.weights.subarray(from, to)));
  }
  const { fields, ...document } = documents[i];
  const payload = JSON.stringify({ ...document, ...(fields && payloadOf(fields)) });
  return `{"id":${first + i},"vector":{${vectors.join(',')}},"payload":${payload}}`;
}

export interface PointBatch extends EngineBatch {
  compare: 'one' | 'best' | 'max-sim';
  /** The mean of the rows is wanted besides. */
  means: boolean;
}

export function documentOf(payload: Payload | undefined): EngineDocument {
  const { id = '', title, text, metadata } = payload ?? {};
  return {
    id,
    ...(title !== undefined && { title }),
    ...(text !== undefined && { text }),
    ...(metadata !== undefined && { metadata }),
  };
}
