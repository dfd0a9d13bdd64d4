import type { Command, Option } from 'commander';

/** What may follow on a command line. `files` asks the shell to complete paths too. */
export interface Candidates {
  values: string[];
  files: boolean;
}

export interface CandidateOptions {
  /** Values of options that the program does not list itself, by the option's long name. */
  known?: Record<string, () => Promise<string[]>>;
}

/**
 * What can stand at the end of a command line: subcommands, options, an option's choices, or paths.
 *
 * @param words those before the one being completed, without `nearmiss`
 * @param prefix what has been typed of the last word
 */
export async function candidatesFor(
  program: Command,
  words: readonly string[],
  prefix: string,
  { known = {} }: CandidateOptions = {},
): Promise<Candidates> {
  const { command, open } = follow(program, words);
  const [values, files] = open
    ? await valuesOf(open, known)
    : prefix.startsWith('-')
      ? [optionsOf(command, program), false]
      : [command.commands.map((child) => child.name()), command.registeredArguments.length > 0];
  return { values: values.filter((value) => value.startsWith(prefix)).sort(), files };
}

/** The command that the words lead to, and the option that still waits for its value. */
function follow(program: Command, words: readonly string[]): { command: Command; open?: Option } {
  let command = program;
  let open: Option | undefined;
  for (const word of words) {
    if (open) {
      open = undefined;
      continue;
    }
    const option = command.options.find(({ long, short }) => word === long || word === short);
    if (option?.required) open = option;
    if (!option) command = command.commands.find((child) => child.name() === word) ?? command;
  }
  return { command, open };
}

async function valuesOf(
  option: Option,
  known: NonNullable<CandidateOptions['known']>,
): Promise<[string[], boolean]> {
  if (option.argChoices) return [[...option.argChoices], false];
  const values = await known[option.long ?? '']?.();
  return [values ?? [], true];
}

function optionsOf(command: Command, program: Command): string[] {
  const own = [...command.options, ...program.options].flatMap(({ long, hidden }) =>
    long && !hidden ? long : [],
  );
  return [...new Set([...own, '--help'])];
}
