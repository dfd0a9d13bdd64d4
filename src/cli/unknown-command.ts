import type { Command } from 'commander';
import { suggest } from '../base/suggest.js';

/**
 * Refuses a name that is no command where help is asked for: commander would give the help of the program, as if the
 * name had not been there.
 */
export function refuseUnknownCommand(program: Command, args: readonly string[]): void {
  const asksHelp = args[0] === 'help';
  if (!asksHelp && !args.some((arg) => arg === '--help' || arg === '-h')) return;
  let command = program;
  for (const arg of asksHelp ? args.slice(1) : args) {
    // What comes behind an option may be its value; what a command takes as an argument may be anything.
    if (arg.startsWith('-') || command.registeredArguments.length > 0 || command.commands.length === 0)
      return;
    const next = command.commands.find((child) => child.name() === arg || child.aliases().includes(arg));
    if (next === undefined && arg === 'help') return;
    if (next === undefined) refuse(command, arg);
    command = next;
  }
}

function refuse(command: Command, name: string): never {
  const meant = suggest(
    name,
    command.commands.map((child) => child.name()),
  );
  command.error(`error: unknown command '${name}'${meant ? `\n(Did you mean ${meant}?)` : ''}`, {
    code: 'commander.unknownCommand',
  });
}
