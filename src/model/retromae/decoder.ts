import {
  add,
  embedding,
  type Graph,
  mul,
  type ParameterSpec,
  reshape,
  sub,
  type Value,
} from '../../engine/index.js';
import { BertGraph, layerParameters } from '../encoder/bert.js';
import type { EncoderConfig } from '../encoder/config.js';
import type { StatesGraph } from '../encoder/states-graph.js';

const DECODER = 'decoder';

/** The parameters of the decoder: one layer of the encoder's sizes. */
export function decoderParameters(config: EncoderConfig): ParameterSpec[] {
  return layerParameters(config, DECODER);
}

/**
 * RetroMAE's enhanced decoding (Xiao et al. 2022, §3.3) of a batch in one length group: a layer whose queries know the sentence's
 * vector h and where they stand, H₁ = h + p, and whose keys are h and the words of the text, H₂ = [h, e₁ + p₁, …], of which
 * each place sees others (`sight`). Embeddings are the encoder's, LayerNorm included, as in the authors' code.
 *
 * @param sentences [texts, hidden]
 * @returns a state for each token, [tokens, hidden]
 */
export function buildDecoder(
  graph: Graph,
  config: EncoderConfig,
  { states, sentences }: { states: StatesGraph; sentences: Value },
): Value {
  const { parameter, dropout, tokens, inputs } = states;
  const [group] = states.groups;
  const { texts, length } = group;
  const bert = new BertGraph({ config, parameter, dropout });
  const table = (name: string): Value => parameter(`embeddings.${name}_embeddings.weight`);
  const byText = (rows: Value): Value => reshape(rows, [texts, length, config.hiddenSize]);
  const inOneList = (rows: Value): Value => reshape(rows, [tokens, config.hiddenSize]);

  const sentence = reshape(sentences, [texts, 1, config.hiddenSize]);
  const place = add(
    embedding(table('token_type'), inputs.types),
    embedding(table('position'), inputs.positions),
  );
  const queries = bert.embed(inOneList(add(byText(place), sentence)), `${DECODER}.queries`);

  const originals = graph.input('originals', [tokens], 'int32');
  const words = bert.embed(add(embedding(table('word'), originals), place), `${DECODER}.words`);
  const isFirst = reshape(graph.input('isFirst', [length]), [1, length, 1]);
  const keys = add(mul(byText(words), sub(1, isFirst)), mul(sentence, isFirst));

  const sight = reshape(graph.input('sight', [texts, length, length]), [texts, 1, length, length]);
  return bert.layer(queries, DECODER, { groups: [group], biases: [sight], keys: inOneList(keys) });
}
