import { ParameterStore } from '../../engine/index.js';

/** What became of a document in an earlier step, and whose it was. */
export interface Key {
  vector: Float32Array;
  /** The example that it was the answer of. */
  example: number;
  /** Its number in the collection; −1 for a text that is not of it. */
  document: number;
}

/** The keys of the last steps, the oldest making room for new ones; its numbers are in one store, to be saved and restored. */
export class KeyQueue {
  readonly store: ParameterStore;
  readonly #size: number;
  readonly #places: number;

  constructor(places: number, size: number) {
    this.#places = places;
    this.#size = size;
    this.store = new ParameterStore([
      { name: 'vectors', shape: [places, size] },
      // Whole numbers below 2^24, which float32 holds exactly.
      { name: 'examples', shape: [places] },
      { name: 'documents', shape: [places] },
      { name: 'pushed', shape: [2] },
    ]);
  }

  /** How many keys there are. */
  get length(): number {
    return this.store.get('pushed')[1];
  }

  /** The vectors of all keys, one after another. */
  get vectors(): Float32Array {
    return this.store.get('vectors').subarray(0, this.length * this.#size);
  }

  push({ vector, example, document }: Key): void {
    const pushed = this.store.get('pushed');
    const [place] = pushed;
    this.store.get('vectors').set(vector, place * this.#size);
    this.store.get('examples')[place] = example;
    this.store.get('documents')[place] = document;
    pushed[0] = (place + 1) % this.#places;
    pushed[1] = Math.min(pushed[1] + 1, this.#places);
  }

  /** The places of keys that answer an example: its own of earlier steps, and those of documents relevant to it. */
  answers(example: number, relevant: ReadonlySet<number>): number[] {
    const [examples, documents] = [this.store.get('examples'), this.store.get('documents')];
    const places: number[] = [];
    for (let place = 0; place < this.length; place++) {
      if (examples[place] === example || relevant.has(documents[place])) places.push(place);
    }
    return places;
  }
}
