import { inverseSelection } from '../../base/numbers/inverse-selection.js';
import {
  add,
  type DenseTensor,
  type Graph,
  logSoftmax,
  mul,
  neg,
  pick,
  Random,
  reduceSum,
  selectRows,
  type Value,
} from '../../engine/index.js';
import { bertParameters } from '../encoder/bert.js';
import type { EncoderConfig } from '../encoder/config.js';
import { dropoutFeeds, type StepRandom } from '../encoder/dropout.js';
import { encoderFeeds } from '../encoder/encoder-graph.js';
import { packBatch } from '../encoder/packed-batch.js';
import {
  buildStates,
  poolGroups,
  selectionInputs,
  type TrainableGraph,
  textsDim,
} from '../encoder/states-graph.js';
import type { MaskedText } from '../mlm/mask-words.js';
import { HIDDEN_TOKENS, labelFeeds } from '../mlm/masked-graph.js';
import { mlmHeadParameters, mlmLogits } from '../mlm/mlm-head.js';
import type { PooledRow, TokenRows } from '../representation/representation.js';
import { buildDecoder, decoderParameters } from './decoder.js';
import { drawSight, type SightOptions } from './sight.js';

/** An encoder that guesses hidden tokens, and a decoder that rebuilds all tokens of a text from its vector. */
export interface RetroMaeGraph extends TrainableGraph {
  /** Sum of the two. */
  loss: Value;
  encoderLoss: Value;
  decoderLoss: Value;
}

/** What the encoder makes of a text: its vector, and the states of its hidden tokens. */
function representationFor({ weigh }: PooledRow): PooledRow & TokenRows {
  return { weigh, ...HIDDEN_TOKENS };
}

/** Adds encoder, head and decoder; guesses of both are made by the same head. */
export function buildRetroMae(
  graph: Graph,
  { config, pooling }: { config: EncoderConfig; pooling: PooledRow },
  { dropout }: { dropout?: boolean },
): RetroMaeGraph {
  const parameters = [...bertParameters(config), ...mlmHeadParameters(config), ...decoderParameters(config)];
  const body = { config, representation: representationFor(pooling), parameters };
  const states = buildStates(graph, body, { groups: 1, dropout });
  const { parameter, tokens, learned, dropoutPlaces } = states;
  const hidden = states.hidden();
  const sentences = poolGroups(hidden, states.groups, textsDim('', 1));
  const decoded = buildDecoder(graph, config, { states, sentences });
  const rebuilt = selectRows(
    decoded,
    graph.input('rebuilt', ['rebuilt'], 'int32'),
    graph.input('unbuilt', [tokens], 'int32'),
  );
  const guessed = selectRows(hidden, ...selectionInputs(graph, states, 'guessed'));
  // −Σ log p of the right tokens, each by the weight that makes a mean of them.
  const loss = (rows: Value, of: 'guessed' | 'rebuilt'): Value => {
    const labels = graph.input(`labels of ${of}`, [of, 1], 'int32');
    const right = pick(logSoftmax(mlmLogits(rows, { config, parameter })), labels);
    return neg(mul(reduceSum(right), graph.input(`weight of ${of}`, [])));
  };
  const [encoderLoss, decoderLoss] = [loss(guessed, 'guessed'), loss(rebuilt, 'rebuilt')];
  return { loss: add(encoderLoss, decoderLoss), encoderLoss, decoderLoss, learned, dropoutPlaces };
}

export interface RetroMaeFeedOptions extends Omit<SightOptions, 'random'> {
  config: EncoderConfig;
  pooling: PooledRow;
  built: RetroMaeGraph;
  /** What a token to be guessed weighs, and one to be rebuilt. */
  weights: { guessed: number; rebuilt: number };
  random: StepRandom;
}

/** Tokens of a text that are rebuilt: all but special ones. */
export function rebuiltCount({ words }: MaskedText): number {
  return words.reduce((count, word) => count + (word < 0 ? 0 : 1), 0);
}

/** What a graph of {@link buildRetroMae} is fed. */
export function retroMaeFeeds(
  texts: readonly MaskedText[],
  options: RetroMaeFeedOptions,
): Record<string, DenseTensor> {
  const { config, pooling, built, weights, random } = options;
  const { padTokenId, positionOffset } = config;
  const packed = packBatch(texts, {
    groups: 1,
    representation: representationFor(pooling),
    padTokenId,
    positionOffset,
  });
  const [count, length] = packed.groups[0].bias.shape;
  const originals = Int32Array.from(packed.ids.data as Int32Array);
  const sight = new Float32Array(count * length * length);
  const [rebuilt, labels]: [number[], number[]] = [[], []];
  packed.order.forEach((member, row) => {
    const { words, places, labels: hidden } = texts[member];
    const start = row * length;
    places.forEach((place, i) => {
      originals[start + place] = hidden[i];
    });
    words.forEach((word, place) => {
      if (word < 0) return;
      rebuilt.push(start + place);
      labels.push(originals[start + place]);
    });
    const draw = Random.from(random.seed, 'sight', random.step, random.part ?? 0, member);
    sight.set(drawSight(words, length, { ...options, random: draw }), start * length);
  });
  const list = (data: Int32Array): DenseTensor => ({ shape: [data.length], data });
  const scalar = (value: number): DenseTensor => ({ shape: [], data: Float32Array.of(value) });
  return {
    ...encoderFeeds(packed),
    ...dropoutFeeds(built.dropoutPlaces, packed, random),
    originals: list(originals),
    isFirst: { shape: [length], data: Float32Array.from({ length }, (_, place) => (place === 0 ? 1 : 0)) },
    sight: { shape: [count, length, length], data: sight },
    rebuilt: list(Int32Array.from(rebuilt)),
    unbuilt: list(inverseSelection(rebuilt, originals.length)),
    'labels of guessed': labelFeeds(texts, packed.order),
    'labels of rebuilt': { shape: [labels.length, 1], data: Int32Array.from(labels) },
    'weight of guessed': scalar(weights.guessed),
    'weight of rebuilt': scalar(weights.rebuilt),
  };
}
