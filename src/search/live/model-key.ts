import type { Searcher } from '../searcher.js';

const PROBE = 'Which near misses does this model see?';
const COMPONENTS = 64;

/** Vectors of one model differ by rounding from machine to machine, those of two models by far more. */
const TOLERANCE = 1e-4;

/**
 * Tells models apart by what they make of a text, so that vectors are reused exactly where they are comparable,
 * whatever the model is called and wherever it lies. Undefined where there is no model.
 */
export async function modelKey(searcher: Searcher): Promise<string | undefined> {
  if (searcher.model === undefined) return undefined;
  const vector = (await searcher.encodeDocuments([PROBE])).vectors.slice(0, COMPONENTS);
  return `${searcher.model.dimension}:${Buffer.from(vector.buffer).toString('base64')}`;
}

/** Whether two keys are of the same model. */
export function isSameModel(a: string | undefined, b: string | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  const [one, other] = [parseKey(a), parseKey(b)];
  if (one.dimension !== other.dimension || one.vector.length !== other.vector.length) return false;
  const scale = one.vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return one.vector.every((value, i) => Math.abs(value - other.vector[i]) <= TOLERANCE * scale);
}

function parseKey(key: string): { dimension: string; vector: Float32Array } {
  const [dimension, base64] = key.split(':');
  const bytes = Uint8Array.from(Buffer.from(base64, 'base64'));
  return { dimension, vector: new Float32Array(bytes.buffer, 0, bytes.length >> 2) };
}

/** The key of a searcher's model; `known` itself where it is the same model, so that keys can be compared as texts. */
export async function modelKeyLike(
  searcher: Searcher,
  known: string | undefined,
): Promise<string | undefined> {
  const key = await modelKey(searcher);
  return isSameModel(key, known) ? known : key;
}
