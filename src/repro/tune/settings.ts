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
  temperature: ({ loss }) =>
    Array.isArray(loss) ? loss.map((_, nth) => `loss.${nth}.temperature`) : ['loss.temperature'],
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
    settings.push({ name: 'temperature', paths: ['loss.temperature'], values });
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

function ofSources({ stages }: Recipe, option: string): string[] {
  return stages.flatMap(({ name, negatives }) =>
    negatives.flatMap((source, nth) =>
      'depth' in source ? [`stages.${name}.negatives.${nth}.${option}`] : [],
    ),
  );
}
