/**
 * How fast queries are written, beside what the machine can do, and whether memory stays flat. One JSON line.
 *
 *   npm run bench:generate
 *   npm run bench:generate -- --threads 1 --clock cpu --passages 10000     memory over many passages
 *
 * The model is MiniLM with 2 decoder layers whose new weights are random: what it writes is noise, how long it takes is not.
 */
import { parseArgs } from 'node:util';
import { Random } from '../src/engine/index.js';
import {
  createBert2Rnd,
  Decoder,
  type GenerateOptions,
  generateTokens,
  loadEncoderModel,
} from '../src/model/index.js';
import { alternate, type Clock } from './engine/clock.js';
import { gemmWork } from './engine/gemm.js';

const { values } = parseArgs({
  options: {
    threads: { type: 'string' },
    clock: { type: 'string', default: 'wall' },
    rounds: { type: 'string', default: '5' },
    copies: { type: 'string', default: '5' },
    passages: { type: 'string', default: '0' },
  },
});
const session = values.threads ? { threads: Number(values.threads) } : {};
const copies = Number(values.copies);
/** As many sequences at once as `nearmiss generate` has, of the usual length of a question. */
const [TEXTS, LENGTH, TOKENS] = [Math.floor(96 / copies), 128, 14];
const LAYERS = 2;

const encoder = await loadEncoderModel('minilm');
const model = createBert2Rnd(encoder, { decoderLayers: LAYERS, maxSource: LENGTH, maxTarget: 32, seed: 1 });
const decoder = await Decoder.create(model, session);
const random = Random.from(1, 'passages');
const words = model.spec.shape.vocabularySize;
const passages = Array.from({ length: TEXTS }, () =>
  Int32Array.from({ length: LENGTH }, () => 1000 + random.integer(words - 1000)),
);
const options: GenerateOptions = {
  maxTokens: TOKENS,
  // None ends before: the same work each time.
  minTokens: TOKENS - 1,
  search: { kind: 'sample', copies, topK: 10, topP: 1, temperature: 1, seed: 1 },
};
const gemm = await gemmWork(session);
const write = (): Promise<unknown> => generateTokens(decoder, passages, options);
const seconds = await alternate(
  { gemm: gemm.run, write },
  { clock: values.clock as Clock, rounds: Number(values.rounds) },
);

const many = Number(values.passages);
let rssGrowthMb: number | undefined;
if (many > 0) {
  // The first tenth fills what is filled once.
  let before = 0;
  for (let done = 0; done < many; done += TEXTS) {
    if (before === 0 && done > many / 10) before = process.memoryUsage().rss;
    await write();
  }
  rssGrowthMb = (process.memoryUsage().rss - before) / 1e6;
}

const { hiddenSize, layers, intermediateSize } = encoder.spec.config;
const block = 4 * hiddenSize ** 2 + 2 * hiddenSize * intermediateSize;
/** Products with weights alone, forward: encoder, cross keys and values, decoder layers, words. */
const flops =
  2 *
  (TEXTS * LENGTH * (layers * block + LAYERS * 2 * hiddenSize ** 2) +
    TEXTS *
      copies *
      TOKENS *
      (LAYERS * (block + 2 * hiddenSize ** 2) + hiddenSize ** 2 + hiddenSize * words));
const gflops = flops / seconds.write / 1e9;
const gemmGflops = gemm.flops / seconds.gemm / 1e9;
const round = (value: number): number => Number(value.toPrecision(3));
process.stdout.write(
  `${JSON.stringify({
    tokensPerSecond: Math.round((TEXTS * copies * TOKENS) / seconds.write),
    passagesPerSecond: round(TEXTS / seconds.write),
    gflops: round(gflops),
    gemmGflops: round(gemmGflops),
    ratio: round(gflops / gemmGflops),
    ...(rssGrowthMb !== undefined && { passages: many, rssGrowthMb: round(rssGrowthMb) }),
  })}\n`,
);
await decoder.release();
