/** Where each of `count` rows went in a selection of some of them: its length for those that went nowhere. */
export function inverseSelection(selection: ArrayLike<number>, count: number): Int32Array {
  const inverse = new Int32Array(count).fill(selection.length);
  for (let i = 0; i < selection.length; i++) if (selection[i] < count) inverse[selection[i]] = i;
  return inverse;
}
