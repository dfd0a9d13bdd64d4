import { UsageError } from '../../base/errors.js';
import type { EngineAddress } from './engine.js';
import { engines } from './kinds.js';

const SCHEME = /^([a-z][a-z0-9]*):\/\//;
const ADDRESS = /^[a-z0-9]+:\/\/(?:([^@/]*)@)?([^/?#]+)(?:\/([^/?#]*))?(?:\?(exact))?$/;
const HOST = /^(?:\[[0-9a-fA-F:]+\]|[\w.-]+)(?::\d{1,5})?$/;
/** What every engine takes as the name of a collection. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,99}$/i;

/**
 * Reads the address of an engine.
 *
 * @param where what it is called in errors, e.g. `--to`
 */
export function parseEngineAddress(text: string, where = 'address'): EngineAddress {
  const scheme = SCHEME.exec(text)?.[1];
  const engine = scheme === undefined ? undefined : engineOf(scheme);
  const parts = ADDRESS.exec(text);
  const hosts = parts?.[2].split(',') ?? [];
  if (engine === undefined || !parts || !hosts.every((host) => HOST.test(host))) {
    throw new UsageError(`${where}: expected ENGINE://HOST:PORT/NAME, got ${JSON.stringify(hidden(text))}`, {
      hint: `engines: ${engines.names.join(', ')}; several machines with commas: qdrant://a:6333,b:6333/docs`,
    });
  }
  const name = parts[3] === undefined || parts[3] === '' ? undefined : decodeURIComponent(parts[3]);
  if (name !== undefined && !NAME.test(name)) {
    throw new UsageError(
      `${where}: expected a name of letters, digits, - and _, got ${JSON.stringify(name)}`,
      { hint: 'for example qdrant://localhost:6333/docs' },
    );
  }
  if (parts[1]?.includes(':')) {
    throw new UsageError(`${where}: expected an address without a password, got one in ${hidden(text)}`, {
      hint: 'give it in the environment, where others do not read it: see docs/engines.md',
    });
  }
  return {
    engine,
    secure: scheme !== engine,
    hosts,
    user: parts[1],
    name,
    exact: parts[4] === 'exact',
    text,
  };
}

function engineOf(scheme: string): string | undefined {
  return engines.names.find((name) => scheme === name || scheme === `${name}s`);
}

function hidden(text: string): string {
  return text.replace(/^([a-z0-9]+:\/\/)([^@/]*)@/, (_, scheme: string, user: string) =>
    user.includes(':') ? `${scheme}${user.split(':')[0]}:***@` : `${scheme}${user}@`,
  );
}
