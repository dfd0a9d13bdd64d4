import type { Document } from '../data/index.js';

/** Where a passage of a folder of files stands. */
export interface PassagePlace {
  /** The file's path in the folder. */
  path: string;
  /** Of the heading that it is under. */
  anchor?: string;
  /** Where it begins, in plain text. */
  line?: number;
  /** The ids of the passages before and behind it in the file. */
  previous?: string;
  next?: string;
}

/** The place of a passage; undefined for documents that are not of a folder of files. */
export function placeOf(
  { id, metadata = {} }: Document,
  has: (id: string) => boolean,
): PassagePlace | undefined {
  const { path, position, anchor, line } = metadata;
  if (typeof path !== 'string' || typeof position !== 'number' || !id.endsWith(`#${position}`))
    return undefined;
  const file = id.slice(0, id.length - String(position).length);
  const [previous, next] = [`${file}${position - 1}`, `${file}${position + 1}`];
  return {
    path,
    ...(typeof anchor === 'string' && { anchor }),
    ...(typeof line === 'number' && { line }),
    ...(has(previous) && { previous }),
    ...(has(next) && { next }),
  };
}

/** As editors and browsers understand it: `notes.txt:12`, `guide/start.md#install`. */
export function placeText({ path, anchor, line }: PassagePlace): string {
  if (line !== undefined) return `${path}:${line}`;
  return anchor === undefined ? path : `${path}#${anchor}`;
}
