import { NearmissError } from '../../base/errors.js';
import { checkOffsets, isOneRowEach } from '../../model/encoder/encoded-texts.js';
import type { SearchOptions, SearchResult, VectorIndexMetadata } from './vector-index.js';

/** The number of rows in a block; an error unless it holds whole vectors of finite numbers. */
export function countRows(
  block: Float32Array,
  { dimension, firstRow, what }: { dimension: number; firstRow: number; what: string },
): number {
  const rows = block.length / dimension;
  if (!Number.isInteger(rows)) {
    throw new NearmissError(
      `${what}: expected vectors of dimension ${dimension}, got ${block.length} numbers, which is no multiple of it`,
      { hint: 'are the vectors of the same model as the index?' },
    );
  }
  for (let i = 0; i < block.length; i++) {
    // Of all numbers, only NaN and the infinities differ from themselves by something other than 0.
    if (block[i] - block[i] !== 0) {
      const row = firstRow + Math.floor(i / dimension);
      throw new NearmissError(
        `${what}: row ${row}, component ${i % dimension}: expected a finite number, got ${block[i]}`,
        { hint: 'encode the text again: a model that gives such numbers has diverged or overflowed' },
      );
    }
  }
  return rows;
}

/** Checks a search and returns the number of queries. */
export function checkSearch(
  queries: Float32Array,
  { k, queryOffsets }: SearchOptions,
  { dimension }: VectorIndexMetadata,
): number {
  if (!Number.isInteger(k) || k < 1)
    throw new NearmissError(`k: expected an integer from 1 up, got ${k}`, {
      hint: 'ask for at least one vector',
    });
  const rows = countRows(queries, { dimension, firstRow: 0, what: 'queries' });
  if (!queryOffsets) return rows;
  checkOffsets(queryOffsets, { rows });
  return queryOffsets.length - 1;
}

/** Refuses queries with several rows, where one of each is compared. */
export function oneRowEachQuery({ queryOffsets }: SearchOptions): void {
  if (!queryOffsets || isOneRowEach(queryOffsets)) return;
  throw new NearmissError('queries: expected one vector each, got several rows', {
    hint: 'the index was made for a model with one vector a query: index the collection again with this model, tokens with --type tokens, vectors of a Poly-encoder with --scorer poly',
  });
}

/** A result in which nothing was found yet. */
export function emptyResult(queries: number, k: number): SearchResult {
  return {
    k,
    ids: new Int32Array(queries * k).fill(-1),
    scores: new Float32Array(queries * k).fill(Number.NEGATIVE_INFINITY),
  };
}
