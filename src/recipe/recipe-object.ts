import { NearmissError } from '../base/errors.js';
import { RECIPE_RULES, spellOut } from './merge-layers.js';
import { merge, type OriginMap, type OriginNode } from './origin-tree.js';
import type { Choice, LossRecipe, NegativesRecipe, OptimizerRecipe, Recipe, StageRecipe } from './recipe.js';

/** Everything below may be left out. */
type Partly<T> = T extends readonly (infer Item)[]
  ? Partly<Item>[]
  : T extends object
    ? { [Key in keyof T]?: Partly<T[Key]> | undefined }
    : T;

/** A value of an axis: by its name alone, or with options of its kind. */
export type Chosen = string | Choice;
type ChosenLoss = string | Partial<LossRecipe> | (string | Partial<LossRecipe>)[];

interface Choices {
  loss?: ChosenLoss | undefined;
  optimizer?: string | Partial<OptimizerRecipe> | undefined;
  teacher?: Chosen | undefined;
  examples?: Chosen | undefined;
}

/** A stage as a recipe says it. */
export interface StageObject
  extends Partly<
      Omit<StageRecipe, 'loss' | 'optimizer' | 'teacher' | 'examples' | 'task' | 'make' | 'negatives'>
    >,
    Choices {
  task?: Chosen | undefined;
  make?: Chosen | undefined;
  negatives?: (string | NegativesRecipe)[] | undefined;
}

/**
 * A recipe in a program: what a YAML file would say, in the same words. What is left out comes from the recipe it
 * `extends`, or is the default.
 */
export interface RecipeObject
  extends Partly<Omit<Recipe, 'loss' | 'optimizer' | 'teacher' | 'examples' | 'stages'>>,
    Choices {
  /** A built-in recipe, or the path of a YAML file. */
  extends?: string | undefined;
  stages?: StageObject[] | undefined;
}

/** What every stage that learns takes, whatever its recipe says. */
export interface RecipeChoices extends Pick<StageObject, 'loss' | 'teacher' | 'negatives'> {}

const ORIGIN = 'chosen';
/** What belongs to the stage, and what to the recipe unless a stage says otherwise. */
const OF_STAGES = ['negatives'] as const;
const OF_RECIPES = ['loss', 'teacher'] as const;

/** An object as a recipe's file would be read. */
export function recipeNode(recipe: RecipeObject, origin: string): OriginMap {
  return toNode(recipe, origin, '') as OriginMap;
}

/** Lays choices on a recipe, for all its stages that learn. */
export function layChoices(said: OriginMap, choices: RecipeChoices): OriginMap {
  const given = toNode(choices, ORIGIN, '') as OriginMap;
  if (given.entries.size === 0) return said;
  const pick = (names: readonly string[]): OriginMap => ({
    ...given,
    entries: new Map([...given.entries].filter(([name]) => names.includes(name))),
  });
  const shared = merge(said, spellOut(pick(OF_RECIPES)) as OriginMap, RECIPE_RULES);
  const stages = shared.entries.get('stages');
  if (stages?.kind !== 'list') return shared;
  const items = stages.items.map((stage, index) => {
    if (stage.kind !== 'map' || stage.entries.has('make')) return stage;
    const own = [...stage.entries].filter(([name]) => !given.entries.has(name));
    const chosen = spellOut(pick(OF_STAGES), ['stages', index]) as OriginMap;
    return { ...stage, entries: new Map([...own, ...chosen.entries]) };
  });
  return { ...shared, entries: new Map(shared.entries).set('stages', { ...stages, items }) };
}

function toNode(value: unknown, origin: string, path: string): OriginNode {
  if (Array.isArray(value)) {
    return {
      kind: 'list',
      origin,
      items: value.map((item, index) => toNode(item, origin, `${path}.${index}`)),
    };
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value)
      .filter(([, child]) => child !== undefined)
      .map(([key, child]) => [key, toNode(child, origin, `${path}.${key}`)] as const);
    return { kind: 'map', origin, entries: new Map(entries) };
  }
  if (typeof value === 'function') {
    throw new NearmissError(`${origin}: ${path.slice(1)}: expected a value, got a function`, {
      hint: 'recipes are kept in files: register what has code as a kind, or in a module that `use` names',
    });
  }
  return { kind: 'scalar', origin, value };
}
