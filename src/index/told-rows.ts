import { NearmissError } from '../base/errors.js';
import type { TokenSource } from './tokens/write-token-index.js';

/** Documents whose rows must be as many as their offsets say: whoever reads fewer or more of them is told. */
export function withToldRows<T extends Pick<TokenSource, 'offsets' | 'blocks'>>(
  source: T,
  dimension: number,
): T {
  const { offsets } = source;
  return { ...source, blocks: () => counted(source.blocks(), offsets[offsets.length - 1], dimension) };
}

async function* counted(
  blocks: AsyncIterable<Float32Array>,
  told: number,
  dimension: number,
): AsyncGenerator<Float32Array> {
  let rows = 0;
  for await (const block of blocks) {
    rows += block.length / dimension;
    if (rows > told) throw notAsTold(told, `${rows} or more`);
    yield block;
  }
  if (rows < told) throw notAsTold(told, String(rows));
}

function notAsTold(told: number, got: string): NearmissError {
  return new NearmissError(`rows: expected ${told}, as the offsets of documents say, got ${got}`, {
    hint: 'the last offset is the number of all rows',
  });
}
