import { Random, type RandomKey } from './random.js';
import type { DenseTensor } from './session.js';

export interface ParameterSpec {
  name: string;
  shape: readonly number[];
}

interface Entry extends DenseTensor {
  data: Float32Array;
  offset: number;
}

/**
 * All parameters (or all their gradients, or an optimizer's moments) in one contiguous buffer, with a view for
 * each tensor: a checkpoint is one write, a norm is one pass, a layer group is a slice.
 */
export class ParameterStore {
  readonly buffer: Float32Array;
  readonly specs: readonly ParameterSpec[];
  readonly #entries = new Map<string, Entry>();

  constructor(specs: readonly ParameterSpec[]) {
    this.specs = specs;
    this.buffer = new Float32Array(specs.reduce((sum, { shape }) => sum + sizeOf(shape), 0));
    let offset = 0;
    for (const { name, shape } of specs) {
      if (this.#entries.has(name)) throw new Error(`Two parameters are named ${name}`);
      const data = this.buffer.subarray(offset, offset + sizeOf(shape));
      this.#entries.set(name, { shape, data, offset });
      offset += data.length;
    }
  }

  get names(): string[] {
    return this.specs.map(({ name }) => name);
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** The tensor's numbers; writing to them changes the store. */
  get(name: string): Float32Array {
    return this.tensor(name).data;
  }

  tensor(name: string): Entry {
    const entry = this.#entries.get(name);
    if (!entry) throw new Error(`No parameter is named ${name}`);
    return entry;
  }

  /** A store of the same layout, filled with zeros; with `keeps`, of those parameters alone. */
  zerosLike(keeps: (name: string) => boolean = () => true): ParameterStore {
    return new ParameterStore(this.specs.filter(({ name }) => keeps(name)));
  }

  copyFrom(other: ParameterStore): void {
    this.buffer.set(other.buffer);
  }
}

export function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

/** Fills with N(0, σ²) truncated to two deviations, as BERT initialises its weights. */
export function fillNormal(data: Float32Array, deviation: number, key: RandomKey): void {
  const random = new Random(key);
  for (let i = 0; i < data.length; i++) {
    let value = random.normal();
    while (Math.abs(value) > 2) value = random.normal();
    data[i] = value * deviation;
  }
}
