import type { RegisterCommand } from '../command.js';
import type { Check } from '../doctor.js';
import { print, printJson } from '../output.js';

const EXAMPLES = `
Examples:
  nearmiss doctor                  is everything there, here?
  nearmiss doctor /shared/runs     is that folder fit for runs?
  nearmiss doctor --json           for a bug report`;

export const registerDoctor: RegisterCommand = (program) => {
  program
    .command('doctor')
    .summary('check this machine and the installation')
    .description(
      'Checks Node.js, processor, memory, disk, write access, ONNX Runtime and the bundled model, and says what to do.',
    )
    .argument('[folder]', 'where runs are to be kept', '.')
    .option('--json', 'print the findings as JSON')
    .addHelpText('after', EXAMPLES)
    .action(doctorCommand);
};

async function doctorCommand(folder: string, options: { json?: boolean }): Promise<void> {
  const { examine } = await import('../doctor.js');
  const { CREATED_BY } = await import('../../base/version.js');
  const checks = await examine(folder);
  const failed = checks.some(({ state }) => state === 'fail');
  if (options.json) printJson({ version: CREATED_BY, checks });
  else print(formatChecks(checks, CREATED_BY));
  if (failed) process.exitCode = 1;
}

const MARKS = { ok: '✓', warn: '!', fail: '✗' };

function formatChecks(checks: readonly Check[], version: string): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.flatMap(({ name, state, found, hint }) => [
    `${MARKS[state]} ${name.padEnd(width)}  ${found}`,
    ...(hint ? [`  ${' '.repeat(width)}  → ${hint}`] : []),
  ]);
  const verdict = checks.every(({ state }) => state === 'ok')
    ? 'everything is there'
    : checks.some(({ state }) => state === 'fail')
      ? 'something is missing: see ✗'
      : 'it works; ! says what is tight';
  return `${version}\n${lines.join('\n')}\n${verdict}\n`;
}
