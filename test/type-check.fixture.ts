import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './docs.fixture.js';

/** A `tsconfig.json`; `typeRoots` are the project's. */
interface Config {
  extends?: string;
  compilerOptions: Record<string, unknown>;
  include: string[];
}

/** What the compiler says of the modules in a folder; nothing where they are right. */
export async function typeCheck(folder: string, config: Config): Promise<string> {
  const typeRoots = [join(ROOT, 'node_modules/@types')];
  const compilerOptions = { ...config.compilerOptions, typeRoots };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ ...config, compilerOptions }));
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  // More checkers would each look at the types that all modules share.
  return promisify(execFile)(process.execPath, [compiler, '-p', folder, '--checkers', '1']).then(
    ({ stdout }) => stdout,
    ({ stdout, message }) => stdout || message,
  );
}
