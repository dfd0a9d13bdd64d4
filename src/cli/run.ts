import { Command, CommanderError } from 'commander';
import { NearmissError, UsageError } from '../base/errors.js';
import { PACKAGE } from '../base/package-files.js';
import { commandGroups } from './commands/index.js';
import { repeated } from './options/option-parsers.js';
import { suggestChoices } from './options/suggest-choices.js';
import { print, tell } from './output.js';
import { refuseUnknownCommand } from './unknown-command.js';

const EXAMPLES = `
Examples:
  nearmiss demo                                                          train and compare in a few minutes
  nearmiss serve ./docs                                                  search a folder of files in the browser
  nearmiss train --data data/mine --recipe ance-firstp --out runs/mine
  nearmiss search runs/mine "how do I reset my password"
  nearmiss serve runs/mine

nearmiss COMMAND --help explains a command, with examples.`;

/** Builds the program with every command registered. */
export function buildProgram(): Command {
  const { version, description } = PACKAGE;
  const program = new Command('nearmiss')
    .description(description)
    .version(version, '-v, --version')
    .option('--debug', 'show stack traces of errors')
    .option(
      '--module <file>',
      'run a module with losses, poolings … of your own first; may be repeated',
      repeated,
    )
    .hook('preAction', (_, command) => loadGiven(command.optsWithGlobals<{ module?: string[] }>().module))
    .showHelpAfterError('(add --help for usage and examples)')
    .configureOutput({ writeOut: print, writeErr: tell })
    .exitOverride();
  for (const { heading, commands } of commandGroups) {
    for (const register of commands) {
      const before = program.commands.length;
      register(program);
      for (const command of program.commands.slice(before)) command.helpGroup(heading);
    }
  }
  program.addHelpText('after', EXAMPLES);
  for (const command of allCommands(program)) {
    command.exitOverride().showSuggestionAfterError();
    suggestChoices(command);
  }
  return program;
}

/** Runs one command line and returns the exit code: 0 done, 1 failed, 2 wrong usage. */
export async function runCli(args: string[]): Promise<number> {
  const program = buildProgram();
  try {
    refuseUnknownCommand(program, args);
    await program.parseAsync(args, { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    return report(error, args.includes('--debug'));
  }
}

async function loadGiven(modules: readonly string[] = []): Promise<void> {
  if (modules.length === 0) return;
  const { loadModules } = await import('../recipe/modules.js');
  await loadModules(modules);
}

function report(error: unknown, debug: boolean): number {
  // Commander has printed its own message already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const message = error instanceof Error ? error.message : String(error);
  tell(`nearmiss: ${message}\n`);
  if (error instanceof NearmissError && error.hint) tell(`  → ${error.hint}\n`);
  if (debug && error instanceof Error) tell(`${error.stack}\n`);
  else if (!(error instanceof NearmissError)) tell('  → run again with --debug to see where\n');
  return error instanceof UsageError ? 2 : 1;
}

function* allCommands(command: Command): Generator<Command> {
  yield command;
  for (const child of command.commands) yield* allCommands(child);
}
