import type { Command } from 'commander';
import { suggest } from '../base/suggest.js';

/**
 * Refuses a name that is no command, with the one that was meant, also where that is below another. Commander looks
 * among the nearest alone, and where help is asked for it would give that of the program, as if the name had not been there.
 */
export function refuseUnknownCommand(program: Command, args: readonly string[]): void {
  const asksHelp = args[0] === 'help';
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
  const names = command.commands.map((child) => child.name());
  // `import` is below `data`.
  const below = new Map(
    command.commands.flatMap((child) =>
      child.commands.map((one): [string, string] => [one.name(), `${child.name()} ${one.name()}`]),
    ),
  );
  for (const known of names) below.delete(known);
  const found = suggest(name, [...names, ...below.keys()]);
  const meant = found && (below.get(found) ?? found);
  command.error(`error: unknown command '${name}'${meant ? `\n(Did you mean ${meant}?)` : ''}`, {
    code: 'commander.unknownCommand',
  });
}
