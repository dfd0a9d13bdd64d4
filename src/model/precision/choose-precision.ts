import { cpus } from 'node:os';
import { Random, runtimeVersion, type SessionOptions } from '../../engine/index.js';
import { type EncoderConfig, maxInputLength } from '../encoder/config.js';
import type { EncodedTexts } from '../encoder/encoded-texts.js';
import type { TokenizedText } from '../encoder/tokenized-texts.js';
import type { UsedPrecision } from './precision.js';
import { recallSpeed, rememberSpeed, type SpeedKey } from './speed-memory.js';

/** A model compiled in some precision. */
interface Rows {
  of(texts: readonly TokenizedText[]): Promise<EncodedTexts>;
  release(): Promise<void>;
}

export interface Chosen<T extends Rows> {
  rows: T;
  precision: UsedPrecision;
  /** Why, in words for people. */
  reason: string;
}

const [TEXTS, TOKENS, ROUNDS] = [4, 128, 3];
/** A gain below this is within what timing varies. */
const LEAST_GAIN = 1.1;
/** Of the length of the fp32 vectors: .2 is a cosine of .98. All-MiniLM-L6-v2 has .1. */
const MOST_ERROR = 0.2;

/**
 * The faster of fp32 and int8, by running both for a moment. How fast they are is remembered for models of this size on
 * this machine; how close they are is a matter of the weights and measured each time.
 */
export async function choosePrecision<T extends Rows>(
  make: (precision: UsedPrecision) => Promise<T>,
  { config, session = {} }: { config: EncoderConfig; session?: SessionOptions },
): Promise<Chosen<T>> {
  const fp32 = await make('fp32');
  const stay = (reason: string): Chosen<T> => ({ rows: fp32, precision: 'fp32', reason });
  const { provider = 'cpu' } = session;
  if (provider !== 'cpu') return stay(`int8 is for cpu, not for ${provider}`);
  const key = speedKey(config, session);
  const remembered = await recallSpeed(key);
  if (remembered !== undefined && remembered < LEAST_GAIN) return stay(slow(remembered));
  const int8 = await make('int8');
  const texts = someTexts(config);
  const error = relativeError(await fp32.of(texts), await int8.of(texts));
  const gain = remembered ?? (await measureGain(fp32, int8, texts));
  if (remembered === undefined) await rememberSpeed(key, gain);
  if (gain >= LEAST_GAIN && error <= MOST_ERROR) {
    await fp32.release();
    return { rows: int8, precision: 'int8', reason: `${gain.toFixed(2)} × as fast as fp32 here` };
  }
  await int8.release();
  return stay(
    gain < LEAST_GAIN
      ? slow(gain)
      : `int8 is too far off: ${(100 * error).toFixed(0)} % of a vector's length`,
  );
}

function slow(gain: number): string {
  return `int8 is only ${gain.toFixed(2)} × as fast here`;
}

function speedKey(config: EncoderConfig, { threads = 0 }: SessionOptions): SpeedKey {
  const { hiddenSize, layers, heads, intermediateSize } = config;
  const processor = cpus()[0]?.model ?? 'unknown';
  return { processor, runtime: runtimeVersion(), threads, hiddenSize, layers, heads, intermediateSize };
}

/** Texts of tokens drawn by chance. */
function someTexts(config: EncoderConfig): TokenizedText[] {
  const random = Random.from(1, 'precision');
  const length = Math.min(TOKENS, maxInputLength(config));
  const text = (): TokenizedText => ({
    ids: Int32Array.from({ length }, () => random.integer(config.vocabularySize)),
  });
  return Array.from({ length: TEXTS }, text);
}

/** By the least of some rounds in turn: what disturbs the machine only ever adds. */
async function measureGain(fp32: Rows, int8: Rows, texts: readonly TokenizedText[]): Promise<number> {
  const least = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, rows] of [fp32, int8].entries()) {
      const started = performance.now();
      await rows.of(texts);
      least[i] = Math.min(least[i], performance.now() - started);
    }
  }
  return least[0] / least[1];
}

function relativeError({ vectors: exact }: EncodedTexts, { vectors: rough }: EncodedTexts): number {
  let [difference, length] = [0, 0];
  for (let i = 0; i < exact.length; i++) {
    difference += (exact[i] - rough[i]) ** 2;
    length += exact[i] ** 2;
  }
  return Math.sqrt(difference / (length || 1));
}
