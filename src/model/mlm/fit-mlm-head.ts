import { mean } from '../../base/numbers/mean.js';
import { Random, type SessionOptions } from '../../engine/index.js';
import type { EncoderModel } from '../encoder/encoder-model.js';
import type { TokenRarity } from '../terms/token-rarity.js';
import { tokenStates } from '../terms/token-states.js';
import { MLM_HEAD } from './mlm-head.js';
import { ridge } from './ridge.js';
import { STRAIGHT } from './start-mlm-head.js';

/** Words that the head is fitted to, and of how many of them logits are looked at. */
const WORDS = 4000;
const LOOKED_AT = 64;
const COMPARED = 4096;
/** Words that a token suggests at the start, itself among them, and how much more it suggests itself. */
const SUGGESTED = 30;
const LEAD = 2;
const SHRINK = 0.01;
/** Words of more documents than one in so many start lower, by so much for each unit of idf that they lack. */
const COMMON = 200;
const LOWERED = 0.3;

/**
 * Starts the head of an encoder that came without one where training can begin: every token suggests itself first, and some
 * thirty words near it. The transform is the linear map that comes nearest to leading states of single words back to their
 * rows of the word table; logits are shifted so that all other words are below 0.
 *
 * @param options.rarity common words of the collection start lower
 */
export async function fitMlmHead(
  model: EncoderModel,
  { seed = 0, session, rarity }: { seed?: number; session?: SessionOptions; rarity?: TokenRarity } = {},
): Promise<void> {
  const { config } = model.spec;
  const { hiddenSize: size, vocabularySize } = config;
  const random = Random.from(seed, 'words');
  const words = Int32Array.from(
    { length: Math.min(WORDS, vocabularySize) },
    vocabularySize <= WORDS ? (_, word) => word : () => random.integer(vocabularySize),
  );
  const states = await statesOf(model, words, session);
  const table = model.parameters.get('embeddings.word_embeddings.weight');
  const rows = new Float32Array(words.length * size);
  words.forEach((word, i) => {
    rows.set(table.subarray(word * size, (word + 1) * size), i * size);
  });
  const { weight, bias } = ridge(states, rows, { inputs: size, outputs: size, shrink: SHRINK });
  const mapped = mapRows(states, { weight, bias }, size);
  const spread = deviationOf(mapped) || 1;
  const part = (name: string): Float32Array => model.parameters.get(`${MLM_HEAD}.${name}`);
  part('transform.dense.weight').set(weight.map((value) => value / spread));
  part('transform.dense.bias').set(bias.map((value) => value / spread + STRAIGHT));
  const { gain, shift } = calibrate(mapped, words, { table, size, vocabularySize, random });
  part('transform.LayerNorm.weight').fill(gain);
  part('transform.LayerNorm.bias').fill(0);
  const most = Math.log(1 + COMMON);
  part('bias').forEach((_, word, biases) => {
    const lacking = rarity ? Math.max(0, most - rarity.idf(word)) : 0;
    biases[word] = shift - LOWERED * lacking;
  });
}

/** The states of words that stand alone between their special tokens. */
async function statesOf(
  model: EncoderModel,
  words: Int32Array,
  session: SessionOptions | undefined,
): Promise<Float32Array> {
  const { config } = model.spec;
  const { cls, sep } = model.tokenizer.specialTokens;
  const [before, after] = [cls?.id ?? config.padTokenId, sep?.id ?? config.padTokenId];
  const texts = Array.from(words, (word) => ({ ids: [before, word, after] }));
  const vectors = await tokenStates(model, texts, session);
  const size = config.hiddenSize;
  const states = new Float32Array(words.length * size);
  // Three rows each: the word's is the second.
  words.forEach((_, i) => {
    states.set(vectors.subarray((3 * i + 1) * size, (3 * i + 2) * size), i * size);
  });
  return states;
}

function mapRows(
  states: Float32Array,
  { weight, bias }: { weight: Float64Array; bias: Float64Array },
  size: number,
): Float32Array {
  const rows = Math.min(LOOKED_AT, states.length / size);
  const mapped = new Float32Array(rows * size);
  for (let row = 0; row < rows; row++) {
    for (let j = 0; j < size; j++) {
      let sum = bias[j];
      for (let i = 0; i < size; i++) sum += weight[j * size + i] * states[row * size + i];
      mapped[row * size + j] = sum;
    }
  }
  return mapped;
}

interface CalibrateOptions {
  table: Float32Array;
  size: number;
  vocabularySize: number;
  random: Random;
}

/** What LayerNorm multiplies by and what is added to logits, so that few words are above 0 and the word itself leads. */
function calibrate(
  mapped: Float32Array,
  words: Int32Array,
  { table, size, vocabularySize, random }: CalibrateOptions,
): { gain: number; shift: number } {
  const own: number[] = [];
  const others: number[] = [];
  const compared = Math.min(COMPARED, vocabularySize);
  for (let row = 0; row * size < mapped.length; row++) {
    const state = normalized(mapped.subarray(row * size, (row + 1) * size));
    const logit = (word: number): number => {
      let sum = 0;
      for (let i = 0; i < size; i++) sum += state[i] * table[word * size + i];
      return sum;
    };
    own.push(logit(words[row]));
    for (let i = 0; i < compared; i++) {
      others.push(logit(compared === vocabularySize ? i : random.integer(vocabularySize)));
    }
  }
  const ascending = Float64Array.from(others).sort();
  const share = Math.min(0.5, SUGGESTED / vocabularySize);
  const bound = ascending[Math.floor((1 - share) * (ascending.length - 1))];
  const median = Float64Array.from(own).sort()[own.length >> 1];
  const lead = Math.max(median - bound, deviationOf(ascending) / 2, 1e-6);
  const gain = LEAD / lead;
  return { gain, shift: -gain * bound };
}

/** As LayerNorm leaves it. */
function normalized(row: Float32Array): Float32Array {
  const middle = mean(row);
  const spread = deviationOf(row) || 1;
  return row.map((value) => (value - middle) / spread);
}

function deviationOf(values: Float32Array | Float64Array): number {
  let [sum, squares] = [0, 0];
  for (const value of values) {
    sum += value;
    squares += value * value;
  }
  const mean = sum / values.length;
  return Math.sqrt(Math.max(0, squares / values.length - mean * mean));
}
