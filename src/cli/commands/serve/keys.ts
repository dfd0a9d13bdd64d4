import { type Command, Option } from 'commander';
import { DEFAULT_KEY_FILE, ROLES, type Role } from '../../../serve/names.js';
import { print, printJson, tell } from '../../output.js';

const EXAMPLES = `
Examples:
  nearmiss serve keys add --role read --name website      prints the key, this once
  nearmiss serve keys list
  nearmiss serve keys remove website                      a running server refuses it a second later

The file holds SHA-256 hashes, not the keys.`;

interface KeysOptions {
  file: string;
  json?: boolean;
}

/** `nearmiss serve keys …` */
export function registerServeKeys(serve: Command): void {
  const keys = serve
    .command('keys')
    .description('Makes, lists and removes API keys.')
    .addHelpText('after', EXAMPLES);
  keys
    .command('add')
    .description('Makes a key and prints it; it cannot be shown again.')
    .addOption(
      new Option('--role <role>', 'read: search; write: also change documents')
        .choices(ROLES)
        .default('read'),
    )
    .option('--name <name>', 'to recognise it by')
    .option('--file <file>', 'the file of keys', DEFAULT_KEY_FILE)
    .option('--json', 'print as JSON')
    .addHelpText('after', EXAMPLES)
    .action(addCommand);
  keys
    .command('list')
    .description('Shows ids, names, roles and dates.')
    .option('--file <file>', 'the file of keys', DEFAULT_KEY_FILE)
    .option('--json', 'print as JSON')
    .addHelpText('after', EXAMPLES)
    .action(listCommand);
  keys
    .command('remove')
    .description('Removes a key by its id or name.')
    .argument('<key>', 'id or name')
    .option('--file <file>', 'the file of keys', DEFAULT_KEY_FILE)
    .addHelpText('after', EXAMPLES)
    .action(removeCommand);
}

async function addCommand(options: KeysOptions & { role: Role; name?: string }): Promise<void> {
  const { addKey } = await import('../../../serve/access/key-file.js');
  const { key, stored } = await addKey(options.file, options);
  const { sha256: _, ...shown } = stored;
  if (options.json) printJson({ key, ...shown });
  else print(`${key}\n`);
  tell(`key ${stored.id} (${stored.role}) is in ${options.file}; it is not shown again\n`);
}

async function listCommand({ file, json }: KeysOptions): Promise<void> {
  const [{ readKeys }, { formatTable }] = await Promise.all([
    import('../../../serve/access/key-file.js'),
    import('../../../base/table.js'),
  ]);
  const keys = (await readKeys(file)).map(({ sha256: _, ...shown }) => shown);
  if (json) printJson(keys);
  else {
    const rows = keys.map(({ id, name = '', role, created }) => [id, name, role, created.slice(0, 10)]);
    print(formatTable({ header: ['id', 'name', 'role', 'created'], rows, numeric: [] }));
  }
}

async function removeCommand(which: string, { file }: KeysOptions): Promise<void> {
  const { removeKey } = await import('../../../serve/access/key-file.js');
  const { id, role } = await removeKey(file, which);
  tell(`key ${id} (${role}) is removed from ${file}\n`);
}
