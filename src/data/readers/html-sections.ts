import { Parser } from 'htmlparser2';
import { NearmissError } from '../../base/errors.js';
import { fenced } from './code-fences.js';
import { TextBuilder } from './text-builder.js';

/** A stretch of a document under one heading. */
export interface Section {
  /** The headings it stands under, outermost first. */
  headings: string[];
  text: string;
  /** What the page calls the place, where it has a name. */
  id?: string;
  /** Where it begins, of files that are read line by line. */
  line?: number;
  /** The links in its text, where it has some. */
  links?: SectionLink[];
}

/** A link as it is written. */
export interface SectionLink {
  text: string;
  href: string;
}

/** A document as plain text, divided by its headings. */
export interface SectionedDocument {
  title?: string;
  /** Where it is published, where it says so. */
  url?: string;
  /** Places without a name get one made of their heading, by whatever shows the document. */
  namesHeadings?: boolean;
  sections: Section[];
}

/** Elements in each other: the parser's time grows with the square of it, and browsers stop at 512. */
const MOST_OPEN = 2000;

/** Not the page's own text: programs, navigation, controls, pictures. */
const DROPPED = new Set(
  'script style noscript template nav footer aside svg math iframe object canvas button select textarea dialog'.split(
    ' ',
  ),
);
const DROPPED_ROLES = new Set(['navigation', 'banner', 'contentinfo', 'search', 'complementary']);
const LINES = new Set('br li tr dt dd option figcaption caption'.split(' '));
const BLOCKS = new Set(
  'address article blockquote body dd details div dl dt fieldset figure form header hr main ol p pre section summary table ul'.split(
    ' ',
  ),
);

/**
 * Reads the text of an HTML page, section by section. Where the page marks its main part (`<main>`), only that is
 * read. Broken HTML is read as browsers do, as far as that goes.
 */
export function htmlSections(html: string): SectionedDocument {
  const reader = new SectionReader();
  const parser = new Parser({
    onopentag: (name, attributes) => reader.open(name, attributes),
    ontext: (text) => reader.text(text),
    onclosetag: (name) => reader.close(name),
  });
  parser.end(html);
  return reader.finish();
}

interface Heading {
  level: number;
  text: string;
  id?: string;
  /** Nothing stands under it, not even a smaller heading: then the heading itself is what there is to find. */
  empty: boolean;
}

/** The title or a heading being read. */
interface Aside {
  name: string;
  id?: string;
  builder: TextBuilder;
  /** What a link in it says, which may be a mere sign for the link to the heading itself. */
  link?: string;
}

class SectionReader {
  #sections: Section[] = [];
  #trail: Heading[] = [];
  #body = new TextBuilder();
  /** Where text goes instead of the body: the title or a heading being read. */
  #aside: Aside | undefined;
  /** The name of a place at which nothing stands yet: that of the heading that comes next. */
  #placeName: string | undefined;
  #title: string | undefined;
  #url: string | undefined;
  #firstHeading: string | undefined;
  /** How many open elements are dropped, their children included. */
  #dropped = 0;
  #preformatted = 0;
  /** Programs and the like, whose lines and indentation are kept. */
  #code = '';
  #language: string | undefined;
  /** The link being read, and those of the section so far. */
  #link: SectionLink | undefined;
  #links: SectionLink[] = [];
  #main: 'before' | 'inside' | 'after' = 'before';
  #open = 0;

  open(name: string, attributes: Record<string, string>): void {
    if (++this.#open > MOST_OPEN) {
      throw new NearmissError(`expected at most ${MOST_OPEN} elements in each other, got more`, {
        hint: 'no browser shows such a page: leave it out',
      });
    }
    if (this.#dropped === 0) this.#takePlaceName(name, attributes);
    if (this.#dropped > 0 || isDropped(name, attributes)) {
      this.#dropped++;
      return;
    }
    if (name === 'link' && attributes.rel === 'canonical') this.#url ??= webAddress(attributes.href);
    if (name === 'main' && this.#main === 'before') this.#enterMain();
    if (name === 'pre') this.#preformatted++;
    if (this.#preformatted > 0) this.#language ??= languageOf(attributes);
    // Programs that are shown in one box, in two languages, say, are not one line.
    if (name === 'code' && this.#code !== '' && !this.#code.endsWith('\n')) this.#code += '\n';
    if (name === 'a' && this.#aside) this.#aside.link = '';
    if (name === 'a' && attributes.href && !this.#aside) this.#link = { text: '', href: attributes.href };
    if (name === 'title' || headingLevel(name) > 0) {
      if (name !== 'title') this.#endSection(headingLevel(name));
      const id = name === 'title' ? undefined : attributes.id || this.#placeName;
      this.#aside = { name, id, builder: new TextBuilder() };
    } else if (name === 'img') this.text(attributes.alt ?? '');
    else this.#separate(name);
  }

  text(text: string): void {
    if (this.#dropped > 0 || (this.#main === 'after' && !this.#aside)) return;
    if (text.trim() !== '' && !this.#aside) this.#placeName = undefined;
    if (this.#link) this.#link.text += text;
    if (this.#aside?.link !== undefined) {
      this.#aside.link += text;
      return;
    }
    const builder = this.#aside?.builder ?? this.#body;
    if (this.#preformatted > 0 && !this.#aside) this.#code += text;
    else builder.add(text);
  }

  close(name: string): void {
    this.#open--;
    if (this.#dropped > 0) {
      this.#dropped--;
      return;
    }
    if (name === 'a' && this.#aside) endLinkIn(this.#aside);
    if (name === this.#aside?.name) this.#endAside(this.#aside);
    if (name === 'a' && this.#link) this.#endLink(this.#link);
    if (name === 'pre' && --this.#preformatted === 0) this.#endCode();
    if (name === 'main' && this.#main === 'inside') {
      this.#endSection(0);
      this.#main = 'after';
    }
    this.#separate(name);
  }

  finish(): SectionedDocument {
    this.#endSection(0);
    const url = this.#url;
    return {
      title: this.#title ?? this.#firstHeading,
      sections: this.#sections,
      ...(url !== undefined && { url }),
    };
  }

  /** Many pages name a place beside its heading: in it, around it or just before it. */
  #takePlaceName(name: string, { id, name: named }: Record<string, string>): void {
    const own = id || (name === 'a' ? named : undefined);
    if (!own || headingLevel(name) > 0) return;
    if (!this.#aside) this.#placeName = own;
    else if (this.#aside.name !== 'title') this.#aside.id ??= own;
  }

  #separate(name: string): void {
    const builder = this.#aside?.builder ?? this.#body;
    if (BLOCKS.has(name)) builder.separate('\n\n');
    else if (LINES.has(name)) builder.separate('\n');
    else if (name === 'td' || name === 'th') builder.separate(' ');
  }

  #enterMain(): void {
    this.#main = 'inside';
    this.#sections = [];
    this.#trail = [];
    this.#links = [];
    this.#body = new TextBuilder();
  }

  #endCode(): void {
    const code = fenced(this.#code, this.#language);
    this.#code = '';
    this.#language = undefined;
    if (code === '') return;
    this.#body.separate('\n\n');
    this.#body.addVerbatim(code);
    this.#body.separate('\n\n');
  }

  #endLink({ text, href }: SectionLink): void {
    const words = text.replace(/\s+/g, ' ').trim();
    if (words !== '') this.#links.push({ text: words, href });
    this.#link = undefined;
  }

  #endAside(aside: Aside): void {
    endLinkIn(aside);
    const { name, id, builder } = aside;
    const text = builder.toString().replace(/\s+/g, ' ');
    this.#aside = undefined;
    if (text === '') return;
    if (name === 'title') this.#title ??= text;
    else if (this.#main !== 'after') {
      this.#placeName = undefined;
      for (const heading of this.#trail) heading.empty = false;
      this.#trail.push({ level: headingLevel(name), text, empty: true, ...(id && { id }) });
      this.#firstHeading ??= text;
    }
  }

  /** Ends the section before a heading of `level`, or before the document's end (level 0). */
  #endSection(level: number): void {
    if (this.#main === 'after') return;
    this.#endCode();
    const text = this.#body.toString();
    const innermost = this.#trail.at(-1);
    if (text !== '') {
      this.#sections.push({
        headings: this.#headings(),
        text,
        ...(innermost?.id && { id: innermost.id }),
        ...(this.#links.length > 0 && { links: this.#links }),
      });
      if (innermost) innermost.empty = false;
    }
    for (let last = this.#trail.at(-1); last && last.level >= level; last = this.#trail.at(-1)) {
      this.#trail.pop();
      if (last.empty) {
        this.#sections.push({ headings: this.#headings(), text: last.text, ...(last.id && { id: last.id }) });
      }
    }
    this.#body = new TextBuilder();
    this.#links = [];
  }

  #headings(): string[] {
    return this.#trail.map(({ text }) => text);
  }
}

/** `#` or `¶` behind a heading, a link to itself, is no word of it. */
function endLinkIn(aside: Aside): void {
  const { link } = aside;
  aside.link = undefined;
  if (link !== undefined && /[\p{L}\p{N}]/u.test(link)) aside.builder.add(link);
}

function webAddress(href = ''): string | undefined {
  return /^https?:\/\/\S+$/.test(href) ? href : undefined;
}

function isDropped(name: string, attributes: Record<string, string>): boolean {
  return (
    DROPPED.has(name) ||
    DROPPED_ROLES.has(attributes.role) ||
    'hidden' in attributes ||
    attributes['aria-hidden'] === 'true'
  );
}

/** `language-js`, as Markdown's readers and syntax highlighters say it. */
function languageOf(attributes: Record<string, string>): string | undefined {
  return /(?:^|\s)lang(?:uage)?-([\w+#-]+)/.exec(attributes.class ?? '')?.[1];
}

function headingLevel(name: string): number {
  return /^h[1-6]$/.test(name) ? Number(name[1]) : 0;
}
