import type { Argument, Command, Option } from 'commander';

const INTRODUCTION = `# Commands

What \`nearmiss COMMAND --help\` says, on one page. Made from the commands themselves by a test
(\`npx vitest run test/cli-docs -u\`).

Results go to stdout; progress and logs to stderr. \`--debug\` shows stack traces, \`--module FILE\` runs a
[module with values of your own](recipes.md#values-of-your-own) first. Exit codes: 0 done, 1 failed, 2 wrong
usage, 130 stopped by Ctrl-C.
`;

/** The whole command line as Markdown. */
export function cliReference(program: Command): string {
  const commands = commandLines(program);
  const contents = commands.map(({ path, command }) => {
    const text = command.summary() || command.description();
    return `| [\`${path}\`](#${path.replaceAll(' ', '-')}) | ${cell(text)} |`;
  });
  const table = ['| command | |', '|---|---|', ...contents].join('\n');
  return `${[INTRODUCTION, table, ...commands.map(section)].join('\n')}\n`;
}

export interface CommandLine {
  path: string;
  command: Command;
}

/** Commands that do something; those that only group others are in their names. */
export function commandLines(command: Command, path = ''): CommandLine[] {
  const visible = command.createHelp().visibleCommands(command);
  return visible
    .filter((child) => child.name() !== 'help')
    .flatMap((child) => {
      const name = path ? `${path} ${child.name()}` : child.name();
      const below = commandLines(child, name);
      return below.length > 0 && child.registeredArguments.length === 0
        ? below
        : [{ path: name, command: child }, ...below];
    });
}

function section({ path, command }: CommandLine): string {
  const help = command.createHelp();
  const parts = [
    `## ${path}`,
    '',
    command.description(),
    '',
    '```',
    `nearmiss ${usage(path, command)}`,
    '```',
  ];
  const rows = [
    ...help.visibleArguments(command).map((argument) => row(argumentName(argument), argument)),
    ...help
      .visibleOptions(command)
      .flatMap((option) => (option.long === '--help' ? [] : row(option.flags, option))),
  ];
  if (rows.length > 0) parts.push('', '| | |', '|---|---|', ...rows);
  const extra = helpAfter(command);
  if (extra) parts.push('', '```', extra, '```');
  return `\n${parts.join('\n')}`;
}

function usage(path: string, command: Command): string {
  return `${path} ${command.usage()}`.replace(/^(\S+(?: \S+)*?) \1 /, '$1 ');
}

function argumentName(argument: Argument): string {
  const inner = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${inner}>` : `[${inner}]`;
}

function row(name: string, option: Argument | Option): string {
  const { description, defaultValue, defaultValueDescription, argChoices } = option;
  const notes = [
    ...(argChoices ? [`one of ${argChoices.map((choice) => `\`${choice}\``).join(', ')}`] : []),
    ...(isShown(defaultValue) ? [`default \`${defaultValueDescription ?? String(defaultValue)}\``] : []),
  ];
  return `| \`${name.replaceAll('|', '\\|')}\` | ${cell(description)}${notes.length > 0 ? ` (${notes.join('; ')})` : ''} |`;
}

function isShown(value: unknown): boolean {
  return value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

/** The command lines among a command's examples, without the remarks beside them. */
export function examplesOf(command: Command): string[] {
  const lines = helpAfter(command).split('\n');
  return lines.flatMap((line) => /^\s+(nearmiss .*?)(?:\s{2,}.*)?$/.exec(line)?.[1] ?? []);
}

/** What the command adds to its help: examples and remarks. */
export function helpAfter(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
  return text.slice(command.helpInformation().length).trim();
}
