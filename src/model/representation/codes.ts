import { oneOf, whole } from '../../base/settings.js';
import {
  add,
  matmul,
  type ParameterSpec,
  reshape,
  softmax,
  transpose,
  type Value,
} from '../../engine/index.js';
import { firstKind } from './first.js';
import { meanKind } from './mean.js';
import { representationKind, type TextStates } from './representation.js';

const CODES = 'head.codes';

/**
 * Poly-encoder (Humeau et al. 2020): m learned codes look at the query's tokens, yᵢ = Σⱼ softmaxⱼ(cᵢ·hⱼ) hⱼ. A document
 * is one vector.
 */
export const codesKind = representationKind({
  name: 'codes',
  description:
    "what learned codes make of a query's states, one row each; one vector a document (Poly-encoder)",
  options: {
    codes: whole(1).default(16).describe('learned codes: rows of a query'),
    documents: oneOf('first', 'mean').default('mean').describe("how a document's states become its vector"),
  },
  sided: true,
  scorer: 'poly',
  create({ codes, documents }, side) {
    if (side === 'documents') return (documents === 'first' ? firstKind : meanKind).create({}, side);
    return {
      count: codes,
      parameters: ({ hiddenSize }): ParameterSpec[] => [{ name: CODES, shape: [codes, hiddenSize] }],
      build: (group, parameter) => attendedRows(group, parameter(CODES), codes),
    };
  },
});

function attendedRows({ states, bias, texts, length }: TextStates, codes: Value, count: number): Value {
  const hidden = states.shape[2];
  const tokens = reshape(states, [`${texts}*${length}`, hidden]);
  const logits = reshape(matmul(tokens, codes, { transposeB: true }), [texts, length, count]);
  // Softmax is over the last axis, which tokens have to be.
  const weights = softmax(add(transpose(logits, [0, 2, 1]), reshape(bias, [texts, 1, length])));
  return reshape(matmul(weights, states), [`${texts}*${count}`, hidden]);
}
