import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { RunDirectory } from '../../run/run-directory.js';
import { readSearchedRun } from '../../run/searched-run.js';

/** The runs that a server shows, by name. A name never leads out of what was asked to be shown. */
export class RunCatalog {
  readonly #single = new Map<string, string>();
  readonly #folder: string | undefined;
  readonly #collection: string | undefined;
  readonly #data: string | undefined;
  /** Where each run's folder says its collection is: that never changes. */
  readonly #collections = new Map<string, string>();

  /**
   * @param options.run a run by itself, e.g. the one whose index is served
   * @param options.folder a folder of runs: those in it at the moment of asking
   * @param options.collection the collection whose documents are served
   * @param options.data the collection of the run by itself, where that is not where the run says
   */
  constructor(options: { run?: string; folder?: string; collection?: string; data?: string } = {}) {
    if (options.run !== undefined) {
      const path = resolve(options.run);
      this.#single.set(basename(path), path);
    }
    this.#folder = options.folder === undefined ? undefined : resolve(options.folder);
    this.#collection = options.collection;
    this.#data = options.data;
  }

  /** The run by itself. */
  get served(): string | undefined {
    const [name] = this.#single.keys();
    return name !== undefined && this.pathOf(name) !== undefined ? name : undefined;
  }

  /** Names of all runs, ascending. */
  async list(): Promise<string[]> {
    const found = this.#folder === undefined ? [] : await readdir(this.#folder).catch(() => []);
    const names = new Set([...this.#single.keys(), ...found]);
    return [...names].filter((name) => this.pathOf(name) !== undefined).sort();
  }

  /** Those of some runs whose documents are the served ones. */
  async ofCollection(names: readonly string[]): Promise<string[]> {
    const own = this.served === undefined ? this.#collection : await this.#collectionOf(this.served);
    if (own === undefined) return [];
    const collections = await Promise.all(names.map((name) => this.#collectionOf(name)));
    return names.filter((_, nth) => collections[nth] === own);
  }

  async #collectionOf(name: string): Promise<string | undefined> {
    const run = this.directoryOf(name);
    if (run === undefined) return undefined;
    const known = this.#collections.get(run.path);
    if (known !== undefined) return known;
    // One run that cannot be read says nothing about the others; the list of runs names it.
    const searched = await readSearchedRun(run).catch(() => undefined);
    if (searched) this.#collections.set(run.path, resolve(searched.data));
    return this.#collections.get(run.path);
  }

  /** A run, with its collection where the server has it; `undefined` where there is no run of that name. */
  directoryOf(name: string): RunDirectory | undefined {
    const path = this.pathOf(name);
    if (path === undefined) return undefined;
    return new RunDirectory(path, this.#single.has(name) ? { data: this.#data } : {});
  }

  /** What a run's folder is called here; `undefined` where it is none of these. */
  nameOf(folder: string | undefined): string | undefined {
    if (folder === undefined) return undefined;
    const name = basename(folder);
    return this.pathOf(name) === resolve(folder) ? name : undefined;
  }

  /** A run's folder; `undefined` where there is no run of that name. */
  pathOf(name: string): string | undefined {
    const single = this.#single.get(name);
    if (single !== undefined) return holdsRun(single) ? single : undefined;
    // Only a plain name of one entry: `..`, separators and hidden (unfinished) folders are none.
    if (this.#folder === undefined || !/^[^./\\\0][^/\\\0]*$/.test(name)) return undefined;
    const path = join(this.#folder, name);
    return holdsRun(path) ? path : undefined;
  }
}

function holdsRun(path: string): boolean {
  return existsSync(new RunDirectory(path).file('run.json'));
}
