import { UsageError } from '../../base/errors.js';
import type { Engine, EngineAddress } from './engine.js';
import { engines } from './kinds.js';

const SCHEME = /^([a-z][a-z0-9]*):\/\//;
const ADDRESS = /^[a-z0-9]+:\/\/(?:([^@/]*)@)?([^/?#]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
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
    const example = (engine ?? engines.kinds[0]).example;
    throw new UsageError(`${where}: expected ENGINE://HOST:PORT/NAME, got ${JSON.stringify(hidden(text))}`, {
      hint: `engines: ${engines.kinds.map(({ schemes }) => schemes[0]).join(', ')}; several machines with commas: ${example}`,
    });
  }
  if (parts[1]?.includes(':')) {
    throw new UsageError(`${where}: expected an address without a password, got one in ${hidden(text)}`, {
      hint: 'give it in the environment, where others do not read it: see docs/engines.md',
    });
  }
  const { database, name } = pathOf(parts[3] ?? '', engine, where);
  const { exact, ...settings } = settingsOf(parts[4], engine, where);
  return {
    engine: engine.name,
    secure: !engine.schemes.includes(scheme!),
    hosts,
    user: parts[1],
    ...(database !== undefined && { database }),
    name,
    exact: exact !== undefined,
    settings,
    text,
  };
}

function pathOf(
  path: string,
  { hasDatabases, example }: Engine,
  where: string,
): Pick<EngineAddress, 'database' | 'name'> {
  const segments = path
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => decoded(segment, where));
  const database = hasDatabases ? segments.shift() : undefined;
  const [name, ...more] = segments;
  if (name !== undefined && (more.length > 0 || !NAME.test(name))) {
    throw new UsageError(
      `${where}: expected a name of letters, digits, - and _, got ${JSON.stringify(segments.join('/'))}`,
      { hint: `for example ${example}` },
    );
  }
  return { database, name };
}

function decoded(segment: string, where: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new UsageError(
      `${where}: expected % and two digits of a character, got ${JSON.stringify(segment)}`,
      {
        hint: 'write % itself as %25',
      },
    );
  }
}

function settingsOf(query: string | undefined, engine: Engine, where: string): Record<string, string> {
  const settings = Object.fromEntries(new URLSearchParams(query));
  const known = ['exact', ...(engine.settings ?? [])];
  const unknown = Object.keys(settings).find((key) => !known.includes(key));
  if (unknown !== undefined) {
    throw new UsageError(`${where}: ?${unknown}: ${engine.name} has no such setting`, {
      hint: `there are ${known.join(', ')}`,
    });
  }
  return settings;
}

function engineOf(scheme: string): Engine | undefined {
  return engines.kinds.find(({ schemes }) =>
    schemes.some((known) => scheme === known || scheme === `${known}s`),
  );
}

function hidden(text: string): string {
  return text.replace(/^([a-z0-9]+:\/\/)([^@/]*)@/, (_, scheme: string, user: string) =>
    user.includes(':') ? `${scheme}${user.split(':')[0]}:***@` : `${scheme}${user}@`,
  );
}
