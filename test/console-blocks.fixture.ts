import { execFile } from 'node:child_process';
import { resolve } from 'node:path';

/** A command of a documentation page and what the page says it prints. */
export interface ShownCommand {
  command: string;
  output: string;
}

export interface CliResult {
  code: number;
  stdout: string;
  stderr: string;
}

const cli = resolve(import.meta.dirname, '../dist/cli/main.js');

/** The commands in the ```console blocks of a Markdown page. */
export function shownCommands(markdown: string): ShownCommand[] {
  const blocks = [...markdown.matchAll(/^```console\n(.*?)^```$/gms)].map((match) => match[1]);
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((text) => {
        const [command, ...output] = text.split('\n');
        return { command, output: output.join('\n') };
      }),
  );
}

/** Runs the built CLI with the arguments of a command line; quotes group words, nothing else is special. */
export function runShown(command: string, cwd: string): Promise<CliResult> {
  const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain);
  if (words[0] !== 'nearmiss') throw new Error(`expected a nearmiss command, got ${command}`);
  return runBuiltCli(words.slice(1), { cwd });
}

/** Runs the CLI in `dist/` as a user would. */
export function runBuiltCli(
  args: string[],
  options: { cwd?: string; input?: string | Buffer } = {},
): Promise<CliResult> {
  return new Promise((done) => {
    const child = execFile(
      process.execPath,
      [cli, ...args],
      { cwd: options.cwd },
      (error, stdout, stderr) => {
        done({ code: error === null ? 0 : Number(error.code), stdout, stderr });
      },
    );
    child.stdin?.end(options.input);
  });
}
