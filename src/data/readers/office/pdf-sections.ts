import { readFile } from 'node:fs/promises';
import type { OnProblem } from '../../problem.js';
import type { SectionedDocument } from '../html-sections.js';

/** On so many pages at least a line must come again to be a running head, and on more than half of them. */
const FEWEST_PAGES = 4;
/** Lines at the top and at the foot of a page among which running heads are looked for. */
const MARGIN_LINES = 2;

/**
 * Reads the text layer of a PDF, a section for each page; its place is `page=3`, which browsers understand behind a `#`.
 * What pictures show is not read. Gives nothing after a problem was reported.
 */
export async function pdfSections(
  file: string,
  onProblem: OnProblem,
): Promise<SectionedDocument | undefined> {
  const bytes = await readFile(file);
  if (bytes.length === 0) return { sections: [] };
  const { extractText, getDocumentProxy, getMeta } = await import('unpdf');
  let pages: string[];
  let title: unknown;
  try {
    const pdf = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 });
    try {
      pages = (await extractText(pdf, { mergePages: false })).text;
      title = (await getMeta(pdf).catch(() => undefined))?.info?.Title;
    } finally {
      await pdf.destroy();
    }
  } catch (error) {
    const { name, message } = error as Error;
    const locked = name === 'PasswordException';
    onProblem({
      severity: 'error',
      code: 'unreadable',
      file,
      message: locked ? 'the PDF has a password' : `not a PDF that can be read: ${message}`,
      hint: locked ? 'save it without a password' : 'open it in a viewer and save it again',
    });
    return undefined;
  }
  const sections = withoutRunningHeads(pages.map(linesOf)).flatMap((lines, i) => {
    const text = joined(lines);
    return text === '' ? [] : [{ headings: [], text, id: `page=${i + 1}` }];
  });
  if (sections.length === 0) {
    onProblem({
      severity: 'error',
      code: 'no-text-layer',
      file,
      message: `a PDF of ${pages.length} ${pages.length === 1 ? 'page' : 'pages'} without a text layer: pictures of pages, as a scanner makes them`,
      hint: 'let a program for text recognition add the text (e.g. ocrmypdf IN.pdf OUT.pdf), and take its file',
    });
    return undefined;
  }
  const named = typeof title === 'string' && title.trim() !== '' ? title.trim() : undefined;
  return { ...(named !== undefined && { title: named }), sections };
}

function linesOf(page: string): string[] {
  return page.split('\n').map((line) => line.trim());
}

/** Takes off lines at the edges that come again on most pages, whatever page number stands in them. */
function withoutRunningHeads(pages: readonly string[][]): string[][] {
  if (pages.length < FEWEST_PAGES) return [...pages];
  const seen = new Map<string, number>();
  const plain = (line: string): string => line.replace(/\d+/g, '#');
  const isMargin = (i: number, { length }: readonly string[]): boolean =>
    i < MARGIN_LINES || i >= length - MARGIN_LINES;
  for (const lines of pages) {
    const own = new Set(lines.filter((_, i) => isMargin(i, lines)).map(plain));
    for (const line of own) seen.set(line, (seen.get(line) ?? 0) + 1);
  }
  const runs = (line: string): boolean => (seen.get(plain(line)) ?? 0) > pages.length / 2;
  return pages.map((lines) => lines.filter((line, i) => !(isMargin(i, lines) && runs(line))));
}

/** A word that was divided at the end of a line is one word again. */
function joined(lines: readonly string[]): string {
  return lines
    .join('\n')
    .replace(/(\p{Ll})[-\u00ad]\n(\p{Ll})/gu, '$1$2')
    .trim();
}
