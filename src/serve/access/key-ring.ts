import { stat } from 'node:fs/promises';
import { findKey, readKeys, type StoredKey } from './key-file.js';

const CHECK_MS = 1000;

/** The keys that open a server: what their file says, at most a second later. */
export class KeyRing {
  readonly #path: string;
  readonly #onProblem: (error: unknown) => void;
  #keys: StoredKey[];
  #changed: number;
  #checked = Date.now();

  private constructor(path: string, keys: StoredKey[], changed: number, onProblem: (error: unknown) => void) {
    this.#path = path;
    this.#keys = keys;
    this.#changed = changed;
    this.#onProblem = onProblem;
  }

  /** @param onProblem told when the file has become unreadable; the keys known before stay valid */
  static async open(path: string, onProblem: (error: unknown) => void): Promise<KeyRing> {
    const keys = await readKeys(path);
    return new KeyRing(path, keys, await changeTime(path), onProblem);
  }

  async find(key: string): Promise<StoredKey | undefined> {
    if (Date.now() - this.#checked >= CHECK_MS) await this.#readAgain();
    return findKey(this.#keys, key);
  }

  async #readAgain(): Promise<void> {
    this.#checked = Date.now();
    try {
      const changed = await changeTime(this.#path);
      if (changed === this.#changed) return;
      this.#keys = await readKeys(this.#path);
      this.#changed = changed;
    } catch (error) {
      this.#onProblem(error);
    }
  }
}

async function changeTime(path: string): Promise<number> {
  return (await stat(path)).mtimeMs;
}
