import { basename, extname } from 'node:path';
import type { Dataset, Document } from '../../data/index.js';
import { TRAIL_SEPARATOR } from '../../data/readers/passages.js';
import type { PairPassage, PairSource, PassageLink } from './pair-maker.js';

/** More passages than this are not kept together: memory stays bounded however long a file is. */
const MOST_PASSAGES = 64;

/**
 * What tells which documents were written as one: the file's path where they are passages of files, or their title. Undefined
 * where a document stands alone.
 */
export function sourceKey({ title, metadata }: Pick<Document, 'title' | 'metadata'>): string | undefined {
  const path = metadata?.path;
  if (typeof path === 'string' && path !== '') return `path ${path}`;
  return title ? `title ${title}` : undefined;
}

/**
 * The documents of a collection, those that were written as one together where they follow each other, as a stream.
 *
 * @example
 * for await (const { title, passages } of pairSources(dataset)) console.log(title, passages.length);
 */
export async function* pairSources(
  dataset: Pick<Dataset, 'documents'>,
  options: { onDocument?: () => void } = {},
): AsyncGenerator<PairSource> {
  const places = await linkPlaces(dataset);
  let number = 0;
  let key: string | undefined;
  let gathered: (PairSource & { passages: PairPassage[] }) | undefined;
  for await (const document of dataset.documents()) {
    options.onDocument?.();
    const own = sourceKey(document);
    const isSame = gathered !== undefined && own !== undefined && own === key;
    if (!isSame || gathered!.passages.length >= MOST_PASSAGES) {
      if (gathered) yield gathered;
      const title = sourceTitle(document);
      gathered = { title, isFileName: isNameOfFile(title, document), passages: [], goesOn: isSame };
      key = own;
    }
    gathered!.passages.push(passageOf(document, number, gathered!.title, places));
    number++;
  }
  if (gathered) yield gathered;
}

function passageOf(
  document: Document,
  number: number,
  sourceTitle: string,
  places: ReadonlyMap<string, number>,
): PairPassage {
  const { title = '', text, metadata } = document;
  const trail = typeof metadata?.heading === 'string' ? metadata.heading.split(TRAIL_SEPARATOR) : [];
  return {
    number,
    title,
    text,
    headings: trail.filter((heading) => heading !== '' && heading !== sourceTitle),
    links: linksOf(document).flatMap(({ text: words, to }): PassageLink[] => {
      const target = places.get(to) ?? places.get(to.replace(/#.*$/, ''));
      return target === undefined ? [] : [{ text: words, target, to }];
    }),
  };
}

/** The title that all passages of a file share: what stands before their headings. */
function sourceTitle({ title = '', metadata }: Document): string {
  return typeof metadata?.heading === 'string' ? title.split(TRAIL_SEPARATOR)[0] : title;
}

/** A text without a title of its own is called after its file. */
function isNameOfFile(title: string, { metadata }: Document): boolean {
  const path = metadata?.path;
  return typeof path === 'string' && [basename(path), basename(path, extname(path))].includes(title);
}

function linksOf({ metadata }: Document): { text: string; to: string }[] {
  const links = metadata?.links;
  if (!Array.isArray(links)) return [];
  return links.filter(
    (link): link is { text: string; to: string } =>
      typeof link === 'object' &&
      link !== null &&
      typeof link.text === 'string' &&
      typeof link.to === 'string',
  );
}

/** Where links can lead: the first passage of each file, and of each heading with an anchor. Empty where nothing links. */
async function linkPlaces(dataset: Pick<Dataset, 'documents'>): Promise<Map<string, number>> {
  const places = new Map<string, number>();
  let number = 0;
  let linked = false;
  for await (const document of dataset.documents()) {
    const { path, anchor } = document.metadata ?? {};
    // Only folders of files have such places: other collections are not read twice.
    if (typeof path !== 'string') break;
    linked ||= linksOf(document).length > 0;
    const add = (place: string): void => {
      if (!places.has(place)) places.set(place, number);
    };
    add(path);
    if (typeof anchor === 'string') add(`${path}#${anchor}`);
    number++;
  }
  return linked ? places : new Map();
}
