import { UsageError } from '../../base/errors.js';
import type { Recipe } from '../../recipe/recipe.js';

/** A setting that is tuned: all its places in the recipe get the same value. */
export interface TunedSetting {
  /** As it is shown: `rate`, or a path of the recipe. */
  name: string;
  /** Paths as `--set` takes them. */
  paths: readonly string[];
  /** In YAML's notation. */
  values: readonly string[];
}

/** Short names of the settings that matter most, and where a recipe has them. */
const NAMED: Record<string, (recipe: Recipe) => string[]> = {
  rate: () => ['optimizer.learningRate'],
  temperature: ({ loss, stages }) => [
    ...temperaturesOf(loss, 'loss'),
    ...stages.flatMap((stage) => (stage.loss ? temperaturesOf(stage.loss, `stages.${stage.name}.loss`) : [])),
  ],
  steps: ({ stages }) => {
    const last = stages.findLast(({ make }) => !make);
    return last ? [`stages.${last.name}.steps`] : [];
  },
  depth: (recipe) => ofSources(recipe, 'depth'),
  margin: (recipe) => ofSources(recipe, 'relativeMargin'),
};

/** Parses `--try rate=1e-5,2e-5` or `--try optimizer.learningRate=1e-5,2e-5`. */
export function parseTry(argument: string, recipe: Recipe): TunedSetting {
  const equals = argument.indexOf('=');
  const name = argument.slice(0, Math.max(0, equals)).trim();
  const values = splitValues(argument.slice(equals + 1));
  if (name === '' || values.some((value) => value === '')) {
    throw new UsageError(`--try ${argument}: expected a setting and its values, with commas between`, {
      hint: `for example --try rate=1e-5,2e-5; names are ${Object.keys(NAMED).join(', ')}, or any path that --set takes`,
    });
  }
  const paths = NAMED[name] ? NAMED[name](recipe) : [name];
  if (paths.length === 0) {
    throw new UsageError(`--try ${argument}: the recipe ${recipe.name} has no ${name}`, {
      hint: 'no source of its negatives is ranked; name a path instead, as --set takes it',
    });
  }
  return { name, paths, values };
}

/** What is tried where nothing is asked for: rate and temperature around what the recipe has. */
export function defaultSettings(recipe: Recipe): TunedSetting[] {
  const around = (value: number, factors: readonly number[]): string[] =>
    factors.map((factor) => String(Number((value * factor).toPrecision(3))));
  const settings: TunedSetting[] = [
    {
      name: 'rate',
      paths: NAMED.rate(recipe),
      values: around(recipe.optimizer.learningRate, [1, 0.4, 2.5]),
    },
  ];
  const [loss, ...others] = Array.isArray(recipe.loss) ? recipe.loss : [recipe.loss];
  if (others.length === 0 && loss.margin === undefined) {
    const values = around(loss.temperature, [1, 0.5, 2]);
    settings.push({ name: 'temperature', paths: NAMED.temperature(recipe), values });
  }
  return settings;
}

/** Every combination of values as `--set` takes it, the first of each setting first. */
export function combinations(settings: readonly TunedSetting[]): Record<string, string>[] {
  return settings.reduce<Record<string, string>[]>(
    (combined, { name, values }) =>
      combined.flatMap((before) => values.map((value) => ({ ...before, [name]: value }))),
    [{}],
  );
}

/** A combination as changes to the recipe. */
export function asOverrides(
  combination: Record<string, string>,
  settings: readonly TunedSetting[],
): string[] {
  return settings.flatMap(({ name, paths }) => paths.map((path) => `${path}=${combination[name]}`));
}

/** Splits at commas that are not inside brackets: lists and mappings are values, too. */
function splitValues(text: string): string[] {
  const values = [''];
  let depth = 0;
  for (const character of text) {
    if ('[{'.includes(character)) depth++;
    if (']}'.includes(character)) depth--;
    if (character === ',' && depth === 0) values.push('');
    else values[values.length - 1] += character;
  }
  return values.map((value) => value.trim());
}

function temperaturesOf(loss: object, path: string): string[] {
  return Array.isArray(loss) ? loss.map((_, nth) => `${path}.${nth}.temperature`) : [`${path}.temperature`];
}

/** Where ranked sources have an option; what a stage has mined was cut and guarded when it was mined. */
function ofSources({ stages }: Recipe, option: 'depth' | 'relativeMargin'): string[] {
  const mined = (file: unknown): string | undefined => {
    const maker = stages.find(({ name, make }) => make?.name === 'mine' && file === `stage:${name}`);
    return maker && `stages.${maker.name}.make.${option}`;
  };
  const paths = stages.flatMap(({ name, negatives }) =>
    negatives.flatMap((source, nth) => {
      if (!('depth' in source)) return [];
      const [own, made] = [`stages.${name}.negatives.${nth}.${option}`, mined(source.file)];
      return made === undefined ? own : option === 'depth' ? [made, own] : made;
    }),
  );
  return [...new Set(paths)];
}
