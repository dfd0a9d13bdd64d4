/**
 * Counter-based random numbers: the n-th number of a stream is a pure function of (key, n), so that
 * nothing has to be stored to resume, and any part can be drawn without drawing what comes before it.
 */

/** A 32-bit mixing function with low bias (Chris Wellons' `lowbias32`). */
function mix(value: number): number {
  let x = value | 0;
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d);
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b);
  return x ^ (x >>> 16);
}

/** Identifies a stream; made from a seed and any number of parts by {@link randomKey}. */
export interface RandomKey {
  readonly a: number;
  readonly b: number;
}

/**
 * Derives a stream's key from a seed and what the numbers are for.
 *
 * @example
 * const key = randomKey(42, 'dropout', step, layer);
 */
export function randomKey(seed: number, ...parts: (number | string)[]): RandomKey {
  let a = mix(seed ^ 0x9e3779b9);
  let b = mix(a ^ Math.floor(seed / 0x1_0000_0000));
  const absorb = (value: number): void => {
    a = mix(a ^ value);
    b = mix((b + a) ^ (value * 0x85ebca6b));
  };
  for (const part of parts) {
    if (typeof part === 'string') {
      for (let i = 0; i < part.length; i++) absorb(part.charCodeAt(i));
      absorb(part.length + 0x10000);
    } else {
      absorb(part | 0);
      absorb(Math.floor(part / 0x1_0000_0000) + 0x20000);
    }
  }
  return { a, b };
}

/** The n-th 32 random bits of a stream, as an unsigned integer. */
export function bits(key: RandomKey, n: number): number {
  return mix(mix(n ^ key.a) + key.b) >>> 0;
}

/** A sequential reader of one stream, for code that draws one number after another. */
export class Random {
  readonly #key: RandomKey;
  #counter = 0;

  constructor(key: RandomKey) {
    this.#key = key;
  }

  /** Shorthand for `new Random(randomKey(seed, ...parts))`. */
  static from(seed: number, ...parts: (number | string)[]): Random {
    return new Random(randomKey(seed, ...parts));
  }

  /** 32 random bits as an unsigned integer. */
  bits(): number {
    return bits(this.#key, this.#counter++);
  }

  /** Uniform in [0, 1), with 53 random bits. */
  uniform(): number {
    return ((this.bits() >>> 5) * 0x400_0000 + (this.bits() >>> 6)) / 0x20_0000_0000_0000;
  }

  /** Uniform integer in [0, limit). */
  integer(limit: number): number {
    return Math.floor(this.uniform() * limit);
  }

  /** Standard normal (Box–Muller). */
  normal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.uniform()));
    return radius * Math.cos(2 * Math.PI * this.uniform());
  }

  /** Shuffles in place (Fisher–Yates) and returns the same array. */
  shuffle<T extends { length: number; [index: number]: unknown }>(items: T): T {
    for (let i = items.length - 1; i > 0; i--) {
      const j = this.integer(i + 1);
      const kept = items[i];
      items[i] = items[j];
      items[j] = kept;
    }
    return items;
  }
}
