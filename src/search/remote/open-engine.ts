import { NearmissError } from '../../base/errors.js';
import { parseEngineAddress } from '../../index/engines/address.js';
import type { ConnectOptions, EngineConnection, VersionDescription } from '../../index/engines/engine.js';
import { engines } from '../../index/engines/kinds.js';

/** What a name pointed to when it was opened. */
export interface OpenEngine {
  connection: EngineConnection;
  version: string;
  description: VersionDescription;
  /** The address asks for every document to be compared. */
  exact: boolean;
}

/** Opens what was pushed to an address. */
export async function openEngine(
  text: string,
  { onNote, ...options }: ConnectOptions & { onNote?: (note: string) => void } = {},
): Promise<OpenEngine> {
  const address = parseEngineAddress(text);
  const { name, exact } = address;
  const connection = await engines.get(address.engine).connect(address, options);
  try {
    const version = name === undefined ? undefined : await connection.current(name);
    const description = version === undefined ? undefined : await connection.describe(version);
    if (version === undefined || !description?.complete) {
      throw new NearmissError(
        `${text}: nothing was pushed there${name === undefined ? ' (no name at its end)' : ''}`,
        {
          hint: `nearmiss push RUN --to ${text.replace(/\?.*$/, '')}`,
        },
      );
    }
    const { note } = await connection.state(version);
    if (note !== undefined) onNote?.(`${version}: ${note}`);
    return { connection, version, description, exact };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Differs when a name points to another version. */
export async function engineState(text: string): Promise<string> {
  const address = parseEngineAddress(text);
  const connection = await engines.get(address.engine).connect(address);
  try {
    return (await connection.current(address.name ?? '')) ?? 'nothing';
  } finally {
    await connection.close();
  }
}
