import { counted } from '../../../base/progress.js';
import type { RegisterCommand } from '../../command.js';
import { print, printJson } from '../../output.js';

interface RecipesFlags {
  json?: boolean;
}

const EXAMPLES = `
Examples:
  nearmiss recipes                                         all that come with nearmiss
  nearmiss recipes ance-firstp                             one of them
  nearmiss train --recipe ance-firstp --print-config       every value of it, and where it comes from

A recipe of your own is a YAML file that extends one of them: docs/recipes.md.`;

const WIDTH = 100;
const INDENT = '  ';

/** `nearmiss recipes` */
export const registerRecipes: RegisterCommand = (program) => {
  program
    .command('recipes')
    .summary('list the recipes to train by, and explain them')
    .description('Lists the recipes that come with nearmiss, and says what each of them does.')
    .argument('[name]', 'only this one')
    .option('--json', 'print them as JSON')
    .addHelpText('after', EXAMPLES)
    .action(recipesCommand);
};

async function recipesCommand(name: string | undefined, { json }: RecipesFlags): Promise<void> {
  const [{ builtInRecipes, locateRecipe }, { loadRecipe }] = await Promise.all([
    import('../../../recipe/recipe-file.js'),
    import('../../../recipe/load.js'),
  ]);
  const names = name === undefined ? await builtInRecipes() : [(await locateRecipe(name)).name];
  const recipes: { name: string; description: string; stages: { name: string; steps: number }[] }[] = [];
  for (const each of names) {
    const { recipe } = await loadRecipe(each);
    const { description = '', stages } = recipe;
    recipes.push({ name: each, description, stages: stages.map(({ name, steps }) => ({ name, steps })) });
  }
  if (json) return printJson({ recipes });
  print(recipes.map(describe).join('\n'));
}

function describe({
  name,
  description,
  stages,
}: {
  name: string;
  description: string;
  stages: { name: string; steps: number }[];
}): string {
  // A stage that makes data takes no steps.
  const plan = stages
    .map(({ name, steps }) => (steps === 0 ? name : `${name} (${counted(steps, 'step')})`))
    .join(', then ');
  return `${name}\n${wrap(description)}${INDENT}Stages: ${plan}.\n`;
}

function wrap(text: string): string {
  const lines =
    text
      .trim()
      .replace(/\s+/g, ' ')
      .match(new RegExp(`.{1,${WIDTH}}(?:\\s|$)`, 'g')) ?? [];
  return lines.map((line) => `${INDENT}${line.trimEnd()}\n`).join('');
}
