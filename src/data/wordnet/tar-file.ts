import { NearmissError } from '../../base/errors.js';

const BLOCK = 512;
/** Where a header has the name and the size, which is written in octal digits. */
const NAME = { from: 0, to: 100 } as const;
const SIZE = { from: 124, to: 136 } as const;

/** The content of one file of a tar archive whose names are short, as those in packages of npm. */
export function readTarFile(archive: Buffer, name: string): Buffer {
  const field = (header: number, { from, to }: { from: number; to: number }): string =>
    archive
      .toString('latin1', header + from, header + to)
      .split('\0', 1)[0]
      .trim();
  for (let header = 0; header + BLOCK <= archive.length; ) {
    const size = Number.parseInt(field(header, SIZE) || '0', 8);
    const content = header + BLOCK;
    if (field(header, NAME) === name) return archive.subarray(content, content + size);
    header = content + Math.ceil(size / BLOCK) * BLOCK;
  }
  throw new NearmissError(`expected a file ${name} in the archive, got none of that name`);
}
