import { realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import { NearmissError } from '../errors.js';

/** Refuses to write over what is being read: a target that is one of the sources, or a folder around one. */
export async function checkApart(target: string, sources: readonly (string | undefined)[]): Promise<void> {
  const place = await real(target);
  if (place === undefined) return;
  for (const source of sources) {
    const read = source === undefined ? undefined : await real(source);
    if (read === undefined || !`${read}${sep}`.startsWith(`${place}${sep}`)) continue;
    throw new NearmissError(
      `${target}: expected another place than the source, got ${around(source!, read === place)}`,
      {
        hint: 'writing there would remove what is read: choose another folder',
      },
    );
  }
}

function around(source: string, isSame: boolean): string {
  return isSame ? 'the same' : `a folder around ${source}`;
}

async function real(path: string): Promise<string | undefined> {
  return realpath(path).catch(() => undefined);
}
