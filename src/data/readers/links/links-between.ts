import { posix } from 'node:path';
import type { SectionLink } from '../html-sections.js';

/** A link to another file of the folder, by its path there, with the anchor where it has one. */
export interface LinkBetween {
  text: string;
  to: string;
}

/** Links that leave the folder: with a scheme, to another host, from the root of a site. */
const OUTSIDE = /^(?:[a-z][a-z0-9+.-]*:|\/)/i;

/** The links of a file's passage that stay in the folder, as metadata; nothing where there are none. */
export function linksBetween(path: string, links: readonly SectionLink[]): { links?: LinkBetween[] } {
  const between = links.flatMap(({ text, href }): LinkBetween[] => {
    const to = targetOf(path, href);
    return to === undefined ? [] : [{ text, to }];
  });
  return between.length > 0 ? { links: between } : {};
}

function targetOf(path: string, href: string): string | undefined {
  if (OUTSIDE.test(href)) return undefined;
  const [file, anchor] = href.split('#', 2).map(decoded);
  const target = file === '' ? path : posix.join(posix.dirname(path), file.replace(/\?.*$/, ''));
  if (target.startsWith('..')) return undefined;
  return anchor ? `${target}#${anchor}` : target;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
