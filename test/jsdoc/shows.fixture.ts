import { expect } from 'vitest';

/** Holds an example to the result that its comment shows; numbers are shown rounded. */
export function shows(got: unknown, shown: unknown): void {
  const plain = ArrayBuffer.isView(got) ? Array.from(got as Int32Array) : got;
  expect(plain).toEqual(rounded(shown));
}

function rounded(shown: unknown): unknown {
  if (Array.isArray(shown)) return shown.map(rounded);
  return typeof shown === 'number' ? expect.closeTo(shown, 6) : shown;
}
