import { TERM_ROW } from '../../model/scorer/impact.js';
import type { TokenSource } from '../tokens/write-token-index.js';

/** The rows of terms of one document after another, of blocks that may end anywhere between rows; `onBlock` sees all of them. */
export async function* rowsByDocument(
  { offsets, blocks }: Pick<TokenSource, 'offsets' | 'blocks'>,
  onBlock?: (block: Float32Array) => void,
): AsyncGenerator<Float32Array> {
  let document = 0;
  let kept = new Float32Array(0);
  for await (const block of blocks()) {
    onBlock?.(block);
    const rows = kept.length === 0 ? block : joined(kept, block);
    let at = 0;
    for (; document + 1 < offsets.length; document++) {
      const end = at + (offsets[document + 1] - offsets[document]) * TERM_ROW;
      if (end > rows.length) break;
      yield rows.subarray(at, end);
      at = end;
    }
    kept = rows.slice(at);
  }
}

function joined(a: Float32Array, b: Float32Array): Float32Array {
  const both = new Float32Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
