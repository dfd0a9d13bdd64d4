import { Random, randomKey } from '../../engine/index.js';
import { adjustLogits } from './adjust-logits.js';
import { BeamSearch } from './beam-search.js';
import { largestAt, sampleToken } from './choose-token.js';
import type { Decoder } from './decoder.js';
import { checkGenerateOptions, type GenerateOptions, type SampleOptions } from './generate-options.js';

/**
 * Writes sequences for each source, without the token that starts them and with the one that ends them, if it came to
 * that. Source `i` has `result[i]`.
 */
export async function generateTokens(
  decoder: Decoder,
  sources: readonly ArrayLike<number>[],
  options: GenerateOptions,
): Promise<number[][][]> {
  checkGenerateOptions(options);
  if (sources.length === 0) return [];
  const { search } = options;
  if (search.kind === 'beam') {
    const all = await new BeamSearch(decoder, options, search).run(sources);
    return all.map((beams) => beams.slice(0, search.copies).map(({ tokens }) => tokens));
  }
  return drawTokens(decoder, sources, options, search);
}

/** Greedy and sampled sequences: each of them on its own. */
async function drawTokens(
  decoder: Decoder,
  sources: readonly ArrayLike<number>[],
  options: GenerateOptions,
  search: { kind: 'greedy' } | SampleOptions,
): Promise<number[][][]> {
  const { endId, startId, padId } = decoder.shape;
  const copies = search.kind === 'sample' ? search.copies : 1;
  const state = await decoder.read(sources, copies);
  const sequences = sources.map(() => Array.from({ length: copies }, (): number[] => []));
  const controls = { ...options, endId };
  const draws = search.kind === 'sample' ? drawsOf(search) : undefined;
  // Texts leave the batch when all of their sequences have ended.
  let texts = sources.map((_, text) => text);
  let last = new Int32Array(texts.length * copies).fill(startId);
  const ended = (tokens: readonly number[]): boolean =>
    tokens.at(-1) === endId || tokens.length >= options.maxTokens;
  for (;;) {
    const logits = await decoder.write(state, last);
    const size = logits.length / last.length;
    texts.forEach((text, place) => {
      sequences[text].forEach((written, copy) => {
        const row = place * copies + copy;
        if (ended(written)) {
          last[row] = padId;
          return;
        }
        const own = logits.subarray(row * size, (row + 1) * size);
        adjustLogits(own, written, controls);
        const token =
          search.kind === 'sample'
            ? sampleToken(own, search, draws!(text, copy, written.length))
            : largestAt(own);
        written.push(token);
        last[row] = token;
      });
    });
    const going = texts.flatMap((text, place) => (sequences[text].every(ended) ? [] : place));
    if (going.length === 0) return sequences;
    // Moving what is left together costs a copy of it, which is worth it when much has left.
    if (going.length <= texts.length / 2) {
      decoder.keep(state, going);
      last = Int32Array.from(
        going.flatMap((place) => [...last.subarray(place * copies, (place + 1) * copies)]),
      );
      texts = going.map((place) => texts[place]);
    }
  }
}

function drawsOf({ seed, keys }: SampleOptions) {
  return (text: number, copy: number, position: number): number =>
    new Random(randomKey(seed, 'write', keys?.[text] ?? text, copy, position)).uniform();
}
