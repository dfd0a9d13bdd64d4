import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmod } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { NearmissError } from '../../base/errors.js';
import { exists } from '../../base/files.js';
import { readJsonFile, writeJsonFile } from '../../base/json-file.js';
import { withWriteLock } from '../../base/lock/write-lock.js';
import { ROLES, type Role } from '../names.js';

const storedKeySchema = z.object({
  id: z.string().min(1),
  name: z.string().optional(),
  role: z.enum(ROLES),
  created: z.string(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

const keyFileSchema = z.object({ format: z.literal(1), keys: z.array(storedKeySchema) });

/** A key as the file keeps it: what it opens, never the key itself. */
export type StoredKey = z.infer<typeof storedKeySchema>;

const NOBODY = Buffer.alloc(32);

/** Reads a file of keys. */
export async function readKeys(path: string): Promise<StoredKey[]> {
  const { keys } = await readJsonFile(path, keyFileSchema, {
    hint: `make a key with \`nearmiss serve keys add --file ${path}\``,
  });
  return keys;
}

/**
 * Makes a key and gives it, the only time that it can be seen. The file keeps its SHA-256: a key is 256 random bits, so
 * there is nothing that a slow hash would protect from guessing.
 */
export async function addKey(
  path: string,
  options: { role: Role; name?: string },
): Promise<{ key: string; stored: StoredKey }> {
  const id = randomBytes(4).toString('hex');
  const key = `nm_${id}_${randomBytes(32).toString('base64url')}`;
  const stored: StoredKey = {
    id,
    ...(options.name !== undefined && { name: options.name }),
    role: options.role,
    created: new Date().toISOString(),
    sha256: hash(key).toString('hex'),
  };
  await changeKeys(path, (keys) => [...keys, stored]);
  return { key, stored };
}

/** Removes the key with this id or name. */
export async function removeKey(path: string, which: string): Promise<StoredKey> {
  const matching = (await readKeys(path)).filter(({ id, name }) => id === which || name === which);
  if (matching.length !== 1) {
    throw new NearmissError(
      `${path}: ${matching.length === 0 ? 'no key' : `${matching.length} keys`} called "${which}"`,
      { hint: `\`nearmiss serve keys list --file ${path}\` shows their ids` },
    );
  }
  await changeKeys(path, (keys) => keys.filter(({ id }) => id !== matching[0].id));
  return matching[0];
}

/** The key's entry, or nothing where it is not a valid key. Takes the same time whatever is wrong with it. */
export function findKey(keys: readonly StoredKey[], key: string): StoredKey | undefined {
  const given = hash(key);
  const id = key.split('_', 2)[1];
  const stored = keys.find((candidate) => candidate.id === id);
  const matches = timingSafeEqual(given, stored ? Buffer.from(stored.sha256, 'hex') : NOBODY);
  return matches ? stored : undefined;
}

async function changeKeys(path: string, change: (keys: StoredKey[]) => StoredKey[]): Promise<void> {
  const hint = 'name a file in a folder you may write to with --file';
  await withWriteLock(join(dirname(path), '.nearmiss-keys.lock'), hint, async () => {
    const keys = (await exists(path)) ? await readKeys(path) : [];
    await writeJsonFile(path, { format: 1, keys: change(keys) });
    await chmod(path, 0o600);
  });
}

function hash(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
