import { add, bestProducts, log, relu, reshape, type Value } from '../../engine/index.js';
import { MLM_HEAD, mlmHeadParameters, mlmTransform } from '../mlm/mlm-head.js';
import { startMlmHead } from '../mlm/start-mlm-head.js';
import { representationKind } from './representation.js';

/**
 * SPLADE (Formal et al. 2021, max pooling): every word of the vocabulary weighs log(1 + relu(logit)) by the token that
 * suggests it most, so a text is expanded with words that it does not have. The maximum is taken first, which is the
 * same as both functions grow, and makes their input [texts, vocabulary] instead of [tokens, vocabulary].
 */
export const vocabularyKind = representationKind({
  name: 'vocabulary',
  description: 'a weight for every word of the vocabulary, most of them 0, by the MLM head (SPLADE)',
  options: {},
  terms: true,
  scorer: 'impact',
  start(parameters, missing) {
    if (missing.has(`${MLM_HEAD}.bias`)) startMlmHead(parameters);
  },
  create: () => ({
    count: 1,
    size: ({ vocabularySize }) => vocabularySize,
    parameters: (config) => mlmHeadParameters(config),
    build({ states, bias, texts, length, config, inference }, parameter) {
      const tokens = reshape(states, [`${texts}*${length}`, config.hiddenSize]);
      const transformed = mlmTransform(tokens, { config, parameter });
      const best = bestProducts(
        reshape(transformed, [texts, length, config.hiddenSize]),
        parameter('embeddings.word_embeddings.weight'),
        bias,
        { differentiable: !inference },
      );
      return saturated(add(best, parameter(`${MLM_HEAD}.bias`)));
    },
  }),
});

/** log(1 + relu(x)): what repeats itself does not count twice. */
export function saturated(logits: Value): Value {
  return log(add(relu(logits), 1));
}
