/**
 * Kendall's τ-b of two scorings of the same things: 1 where they order all pairs alike, −1 where they order them the other way
 * round; ties count half. NaN where one of them ties everything.
 *
 * @example
 * kendallTau([3, 2, 1], [30, 10, 20]); // 0.3333333333333333
 */
export function kendallTau(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [balance, untiedA, untiedB] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    for (let j = i + 1; j < a.length; j++) {
      const [inA, inB] = [Math.sign(a[i] - a[j]), Math.sign(b[i] - b[j])];
      balance += inA * inB;
      untiedA += inA * inA;
      untiedB += inB * inB;
    }
  }
  return balance / Math.sqrt(untiedA * untiedB);
}
