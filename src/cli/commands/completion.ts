import { Argument, type Command } from 'commander';
import type { RegisterCommand } from '../command.js';
import { candidatesFor } from '../completion/candidates.js';
import { COMPLETION_SCRIPTS, SHELLS, type Shell } from '../completion/scripts.js';
import { print } from '../output.js';

const EXAMPLES = `
Examples:
  source <(nearmiss completion bash)                                    this shell only
  nearmiss completion bash > ~/.local/share/bash-completion/completions/nearmiss
  nearmiss completion zsh > ~/.zfunc/_nearmiss                          a folder of your fpath
  nearmiss completion fish > ~/.config/fish/completions/nearmiss.fish`;

export const registerCompletion: RegisterCommand = (program) => {
  program
    .command('completion')
    .summary('tab completion for your shell')
    .description('Prints a script that completes commands, options, recipes and paths.')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .addHelpText('after', EXAMPLES)
    .action((shell: Shell) => {
      print(COMPLETION_SCRIPTS[shell]);
    });
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .action((words: string[]) => complete(program, words));
};

async function complete(program: Command, words: readonly string[]): Promise<void> {
  const known = {
    '--recipe': async () => (await import('../../recipe/recipe-file.js')).builtInRecipes(),
    '--model': async () => ['minilm'],
  };
  const { values, files } = await candidatesFor(program, words.slice(0, -1), words.at(-1) ?? '', { known });
  for (const value of files ? [...values, '/'] : values) print(`${value}\n`);
}
