import { type DenseTensor, matmul, mul } from '../../engine/index.js';
import { buildCrossEncoder, FIRST_TOKEN } from '../../model/cross-encoder/cross-encoder-graph.js';
import { textsDim } from '../../model/encoder/states-graph.js';
import { type CrossEncoderModel, joinTexts } from '../../model/index.js';
import { ownNegatives, type RetrievalBatch } from '../task/batch.js';
import type { BuildScores } from './batch-scores.js';
import { DOCUMENTS, QUERIES } from './objective.js';
import { OrderedRows } from './ordered-rows.js';

/** Length groups in a batch: pairs are of more even lengths than queries and documents. */
const GROUPS = 2;
const PAIRS = textsDim('', GROUPS);

/** Where the score of each pair stands in the matrix of scores. */
interface Place {
  query: number;
  document: number;
}

/**
 * The scores of a cross-encoder: each query is read together with its positive and with each of its own negatives, so
 * there is a score for these pairs only. They are laid out as the matrix that every loss works on: two 0/1 matrices
 * say which row and which column a pair belongs to, and the masks leave out all other places.
 */
export function pairScores(options: { model: CrossEncoderModel; dropout?: boolean }): BuildScores {
  const { model, dropout } = options;
  return (graph, scale) => {
    const { config } = model.spec;
    const { scores: embeddings, ...encoder } = buildCrossEncoder(graph, model.spec, {
      groups: GROUPS,
      dropout,
    });
    const rows = new OrderedRows(
      graph,
      { ...encoder, embeddings },
      { config, representation: FIRST_TOKEN, prefix: '', groups: GROUPS },
    );
    const rowOf = graph.input('row of pair', [QUERIES, PAIRS]);
    const columnOf = graph.input('column of pair', [PAIRS, DOCUMENTS]);
    return {
      scores: matmul(rowOf, mul(rows.rows, columnOf), { alpha: scale }),
      learned: rows.learned,
      feeds(batch, random) {
        const places = placesOf(batch);
        const pairs = places.map(({ query, document }) =>
          joinTexts(model, batch.queries[query], batch.documents[document]),
        );
        const tokens = pairs.reduce((sum, { ids }) => sum + ids.length, 0);
        // A lone pair is read twice and counts once: the graph has a fixed number of groups, none of them empty.
        while (pairs.length < GROUPS) pairs.push(pairs[0]);
        const feeds = { ...rows.feeds(pairs, random), ...placeFeeds(batch, places, pairs.length) };
        return { feeds, tokens };
      },
    };
  };
}

/** Each query with its positive and its own negatives, those left out that are known to be relevant. */
function placesOf(batch: RetrievalBatch): Place[] {
  return batch.positives.flatMap((positive, query) =>
    [positive, ...ownNegatives(batch, query)].map((document) => ({ query, document })),
  );
}

function placeFeeds(
  { queries, documents }: RetrievalBatch,
  places: readonly Place[],
  pairs: number,
): Record<string, DenseTensor> {
  const rows = new Float32Array(queries.length * pairs);
  const columns = new Float32Array(pairs * documents.length);
  places.forEach(({ query, document }, pair) => {
    rows[query * pairs + pair] = 1;
    columns[pair * documents.length + document] = 1;
  });
  return {
    'row of pair': { shape: [queries.length, pairs], data: rows },
    'column of pair': { shape: [pairs, documents.length], data: columns },
  };
}
