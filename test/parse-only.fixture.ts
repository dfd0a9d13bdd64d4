import type { Command } from 'commander';
import { buildProgram } from '../src/cli/run.js';
import { shellWords } from './docs.fixture.js';

/** Parses a command line with the real program whose actions do nothing, and gives what it complains about. */
export async function complaintAbout(line: string): Promise<string | undefined> {
  const words = shellWords(line);
  const args = words.slice(words.indexOf('nearmiss') + 1);
  const program = buildProgram();
  let complaint: string | undefined;
  silence(program, (text) => {
    complaint ??= text.trim();
  });
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if ((error as { exitCode?: number }).exitCode !== 0) return complaint ?? String(error);
  }
  return undefined;
}

function silence(command: Command, onError: (text: string) => void): void {
  command.configureOutput({ writeOut: () => undefined, writeErr: onError });
  if (command.commands.length === 0 || command.registeredArguments.length > 0)
    command.action(() => undefined);
  for (const child of command.commands) silence(child, onError);
}
