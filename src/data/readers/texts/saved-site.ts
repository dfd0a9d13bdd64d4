import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { OnProblem } from '../../problem.js';
import { linesOf } from '../code-fences.js';
import { htmlSections, type SectionedDocument } from '../html-sections.js';
import { readText } from '../text-file.js';

/** Pages that are looked at to see what comes on all of them. */
const LOOKED_AT = 300;
/** A block on more than this share of the pages belongs to the site, not to a page. */
const LARGEST_SHARE = 0.3;
const FEWEST_PAGES = 4;
/** Between a page's title and the site's. */
const TITLE_PARTS = /^(.*\S)\s+[|–—·:»-]{1,2}\s+(\S.*)$/s;
const HTML = /<(?:!doctype\s+html|html|head|body)\b/i;
const SNIFFED_BYTES = 4096;
/** Endings under which programs that save sites write pages; many have none. */
const PAGE_ENDING = /(?:\.(?:x?html?|php\d?|aspx?|jsp|cgi)|^[^.]+)$/i;

/** Whether a saved file is a page, by its name and its first bytes. */
export async function isPage(file: string): Promise<boolean> {
  const name = basename(file).replace(/[?@].*$/, '');
  if (!PAGE_ENDING.test(name)) return false;
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(SNIFFED_BYTES), 0, SNIFFED_BYTES, 0);
    return HTML.test(buffer.toString('latin1', 0, bytesRead));
  } finally {
    await handle.close();
  }
}

/**
 * The pages of a saved website, without what comes on many of them (menus, footers, the site's name in every title) and
 * each once, however many addresses it was saved under.
 */
export class SavedSite {
  readonly #root: string;
  readonly #files: readonly string[];
  readonly #seen = new Set<string>();
  #common = new Set<string>();
  #siteTitle: string | undefined;

  private constructor(root: string, files: readonly string[]) {
    this.#root = root;
    this.#files = files;
  }

  static async open(root: string, files: readonly string[], onProblem: OnProblem): Promise<SavedSite> {
    const site = new SavedSite(root, files);
    await site.#look(onProblem);
    return site;
  }

  /** A page by its path in the folder; nothing where it holds nothing of its own. */
  async read(path: string, onProblem: OnProblem): Promise<SectionedDocument | undefined> {
    const content = await readText(join(this.#root, path), onProblem);
    if (content === undefined) return undefined;
    const page = htmlSections(content);
    const sections = page.sections
      .map((section) => ({ ...section, text: this.#ownText(section.text) }))
      .filter(({ text }) => text !== '');
    const content256 = fingerprint(sections);
    if (sections.length === 0 || this.#seen.has(content256)) return undefined;
    this.#seen.add(content256);
    const url = page.url ?? addressOf(path);
    return { title: this.#ownTitle(page.title), sections, ...(url !== undefined && { url }) };
  }

  async #look(onProblem: OnProblem): Promise<void> {
    const step = Math.max(1, Math.floor(this.#files.length / LOOKED_AT));
    const looked = this.#files.filter((_, i) => i % step === 0).slice(0, LOOKED_AT);
    const blocks = new Map<string, number>();
    const titles = new Map<string, number>();
    const pages = new Set<string>();
    for (const path of looked) {
      const content = await readText(join(this.#root, path), onProblem);
      if (content === undefined) continue;
      const { title = '', sections } = htmlSections(content);
      // What one page says is not common to many because it was saved under many addresses.
      const page = fingerprint(sections);
      if (pages.has(page)) continue;
      pages.add(page);
      const own = new Set(sections.flatMap(({ text }) => blocksOf(text)));
      for (const block of own) blocks.set(block, (blocks.get(block) ?? 0) + 1);
      const site = TITLE_PARTS.exec(title)?.[2];
      if (site !== undefined) titles.set(site, (titles.get(site) ?? 0) + 1);
    }
    if (pages.size < FEWEST_PAGES) return;
    const isCommon = (found: number): boolean =>
      found >= FEWEST_PAGES - 1 && found > LARGEST_SHARE * pages.size;
    this.#common = new Set([...blocks].flatMap(([block, found]) => (isCommon(found) ? [block] : [])));
    const [site, titled] = [...titles].sort(([, a], [, b]) => b - a)[0] ?? [];
    if (titled !== undefined && titled > pages.size / 2) this.#siteTitle = site;
  }

  #ownText(text: string): string {
    if (this.#common.size === 0) return text;
    return [...linesOf(text)]
      .filter(({ line, isCode }) => isCode || !this.#common.has(line.trim()))
      .map(({ line }) => line)
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim();
  }

  #ownTitle(title: string | undefined): string | undefined {
    const [, own, site] = TITLE_PARTS.exec(title ?? '') ?? [];
    return site !== undefined && site === this.#siteTitle ? own : title;
  }
}

/** Lines of code are left alone: a closing brace is on every page, and belongs to each. */
function blocksOf(text: string): string[] {
  return [...linesOf(text)].flatMap(({ line, isCode }) =>
    isCode || line.trim() === '' ? [] : [line.trim()],
  );
}

function fingerprint(sections: SectionedDocument['sections']): string {
  return createHash('sha256').update(JSON.stringify(sections)).digest('hex');
}

/** Programs that save sites make a folder for each host. */
function addressOf(path: string): string | undefined {
  const [host] = path.split('/');
  if (!/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i.test(host) || host === path) return undefined;
  return `https://${path.replace(/(?:^|(?<=\/))index\.html?$/, '')}`;
}
