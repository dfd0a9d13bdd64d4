import type { z } from 'zod';
import { NearmissError } from './errors.js';
import { suggest } from './suggest.js';

/** What is wrong with the options of a value, or doubtful about them; `field` is one of the options. */
export interface OptionProblem {
  level: 'error' | 'warning';
  field?: string;
  message: string;
  hint?: string;
}

/**
 * One value of an axis of recipes: a loss, a source of negatives, a teacher … Recipe schema, checks, reference and
 * suggestions are made from these, so a new value is a file with one of them, and a line that registers it.
 */
export interface Kind<Shape extends z.ZodRawShape = z.ZodRawShape> {
  /** What recipes call it. */
  readonly name: string;
  /** For the reference, one sentence. */
  readonly description: string;
  /** Its settings, each with a description, and with a default unless it has to be given. */
  readonly options: Shape;
  /** Finds options that are fine alone but not together. */
  check?(options: z.output<z.ZodObject<Shape>>): OptionProblem[];
}

/** The settings of a kind as its functions get them. */
export type OptionsOf<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>>;

/**
 * The values of one axis, of recipes or of anything else that is chosen by name. Those that come with nearmiss are registered by the axis's own `kinds.ts`, others by a module
 * that a recipe names with `use`, or by a program.
 *
 * @example
 * losses.register({ ...losses.get('hinge'), name: 'my-hinge', description: 'as hinge, under a name of its own' });
 */
export class Registry<K extends { readonly name: string }> {
  /** What one value is called in messages, e.g. `loss`. */
  readonly axis: string;
  readonly #kinds = new Map<string, K>();

  constructor(axis: string, kinds: readonly K[] = []) {
    this.axis = axis;
    for (const kind of kinds) this.register(kind);
  }

  register(kind: K): K {
    const earlier = this.#kinds.get(kind.name);
    if (earlier === kind) return kind;
    if (earlier) {
      throw new NearmissError(`${this.axis} "${kind.name}": there is one of this name already`, {
        hint: 'choose another name',
      });
    }
    this.#kinds.set(kind.name, kind);
    return kind;
  }

  /** Takes a kind back; what was made with it stays as it is. */
  remove(kind: K): void {
    if (this.#kinds.get(kind.name) === kind) this.#kinds.delete(kind.name);
  }

  get names(): string[] {
    return [...this.#kinds.keys()];
  }

  get kinds(): K[] {
    return [...this.#kinds.values()];
  }

  find(name: string): K | undefined {
    return this.#kinds.get(name);
  }

  get(name: string): K {
    const kind = this.#kinds.get(name);
    if (kind) return kind;
    const near = suggest(name, this.names);
    throw new NearmissError(`no ${this.axis} is called "${name}"`, {
      hint: near
        ? `did you mean ${near}?`
        : `there are ${this.names.join(', ')}; one of your own comes from a module: name it with use: in the recipe, or with --module`,
    });
  }
}
