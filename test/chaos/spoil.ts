import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '../../src/engine/random.js';

const SECTOR_BYTES = 512;

/** What a bad disk does to a file: gives what is left of it, or nothing where it is gone. */
type Spoil = (content: Buffer, random: Random) => Buffer | undefined;

const SPOILS = {
  flip: (content, random) => flipBits(content, random, 2),
  cut: (content, random) => content.subarray(0, random.integer(content.length)),
  empty: () => Buffer.alloc(0),
  zero: (content, random) => {
    const sector = SECTOR_BYTES * random.integer(Math.ceil(content.length / SECTOR_BYTES));
    return Buffer.from(content).fill(0, sector, Math.min(content.length, sector + SECTOR_BYTES));
  },
  repeat: (content, random) => {
    const start = random.integer(content.length);
    return Buffer.concat([content, content.subarray(start, start + SECTOR_BYTES)]);
  },
  remove: () => undefined,
} satisfies Record<string, Spoil>;

export type SpoilKind = keyof typeof SPOILS;

export const SPOIL_KINDS = Object.keys(SPOILS) as SpoilKind[];

/** Spoils a file; says whether it is another one now. */
export async function spoil(path: string, kind: SpoilKind, random: Random): Promise<boolean> {
  const content = await readFile(path);
  if (content.length === 0 && kind !== 'remove') return false;
  const spoilt = SPOILS[kind](content, random);
  if (spoilt === undefined) await rm(path);
  else await writeFile(path, spoilt);
  return spoilt === undefined || !spoilt.equals(content);
}

/** Every file in a folder and below it, as paths from it on. */
export async function filesUnder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1)).sort();
}

function flipBits(content: Buffer, random: Random, bits: number): Buffer {
  const flipped = Buffer.from(content);
  for (let i = 0; i < bits; i++) flipped[random.integer(content.length)] ^= 1 << random.integer(8);
  return flipped;
}
