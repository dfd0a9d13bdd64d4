import { IndexFolder } from '../vectors/index-folder.js';
import type { VectorIndexMetadata } from '../vectors/vector-index.js';
import { connectEngine } from './connect.js';

/** Where an engine has what a folder stands for. */
export type RemotePlace = NonNullable<VectorIndexMetadata['remote']>;

/** Undefined where a folder has its vectors itself, or is not there. */
export async function remoteOfFolder(path: string): Promise<RemotePlace | undefined> {
  return IndexFolder.open(path).then(
    ({ metadata }) => metadata.remote,
    () => undefined,
  );
}

/** Removes a version from its engine; one that does not answer keeps it, which harms nobody. */
export async function dropRemoteVersion({ address, version }: RemotePlace): Promise<void> {
  try {
    const connection = await connectEngine(address);
    await connection.remove(version);
    await connection.close();
  } catch {
    // It is found by its name, and removed by hand.
  }
}
