import { Random, type RandomKey } from './random.js';
import type { DenseTensor } from './session.js';
import { sizeOf } from './shape.js';

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

  /** @param buffer where the numbers are, to look at a part of another store; zeros of its own unless given */
  constructor(specs: readonly ParameterSpec[], buffer?: Float32Array) {
    this.specs = specs;
    const size = specs.reduce((sum, { shape }) => sum + sizeOf(shape), 0);
    if (buffer && buffer.length !== size) throw new Error(`${size} numbers do not fit in ${buffer.length}`);
    this.buffer = buffer ?? new Float32Array(size);
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

/** What graphs are fed with: tensors by their names. */
export type ParameterLookup = Pick<ParameterStore, 'has' | 'tensor'>;

/** The tensors of several stores, which have no names in common. */
export function joinedParameters(...stores: readonly ParameterStore[]): ParameterLookup {
  const storeOf = (name: string): ParameterStore => stores.find((store) => store.has(name)) ?? stores[0];
  return { has: (name) => storeOf(name).has(name), tensor: (name) => storeOf(name).tensor(name) };
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
