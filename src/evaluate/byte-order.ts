/**
 * Compares two texts by their UTF-8 bytes, as C's `strcmp` does in trec_eval. JavaScript's `<` compares UTF-16 units,
 * which sorts characters outside the basic plane (surrogates, 0xD800–0xDFFF) before U+E000–U+FFFF: those two ranges
 * trade places here.
 */
export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return byteRank(x) - byteRank(y);
  }
  return a.length - b.length;
}

function byteRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
