import { Random } from '../../engine/index.js';
import { rowsOf } from '../../model/index.js';
import type { OpenCheckpoint } from './open-checkpoint.js';

/** A training query that stands for all. */
export interface SampledQuery {
  /** Its place among the training queries. */
  training: number;
  /** One of its positives, drawn at random. */
  positive: number;
  /** All of them, ascending. */
  positives: Int32Array;
  /** Its vector; of a model with several rows a query, one after another. */
  vector: Float32Array;
}

/** Draws training queries and encodes them; the same ones for the same seed. */
export async function sampleQueries(checkpoint: OpenCheckpoint, count: number): Promise<SampledQuery[]> {
  const { data, recipe, queryEncoder } = checkpoint;
  const places = Int32Array.from(data.training, (_, place) => place);
  const random = Random.from(recipe.seed, 'analyze', 'queries');
  const drawn = random.shuffle(places).slice(0, count).sort();
  const members = Array.from(drawn, (training) => data.training[training].query);
  const encoded = await queryEncoder.encodeTokens(await data.queries.texts(members));
  return Array.from(drawn, (training, i) => {
    const { positives } = data.training[training];
    const positive =
      positives[Random.from(recipe.seed, 'analyze', 'positive', training).integer(positives.length)];
    return { training, positive, positives, vector: rowsOf(encoded, i) };
  });
}
