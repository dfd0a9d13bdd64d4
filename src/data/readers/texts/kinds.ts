import { extname } from 'node:path';
import { NearmissError } from '../../../base/errors.js';
import type { OnProblem } from '../../problem.js';
import { htmlSections, type SectionedDocument } from '../html-sections.js';
import { markdownSections } from '../markdown-sections.js';
import { pdfSections } from '../office/pdf-sections.js';
import { readText, reportUnreadable } from '../text-file.js';
import { codeSections } from './code-sections.js';
import { CODE_LANGUAGES, type TEXT_EXTENSIONS } from './text-endings.js';

const PDF = '.pdf';

type Parse = (content: string) => SectionedDocument;

const plainText: Parse = (text) => ({ sections: [{ headings: [], text, line: 1 }] });
/** Markdown with components: what a program reads of it, at the beginning of lines, is no text. */
const mdx: Parse = (text) => markdownSections(text.replace(/^(?:import|export)\s.*$/gm, ''));

const PARSERS: Record<Exclude<(typeof TEXT_EXTENSIONS)[number], typeof PDF>, Parse> = {
  '.md': markdownSections,
  '.markdown': markdownSections,
  '.mdx': mdx,
  '.html': htmlSections,
  '.htm': htmlSections,
  '.txt': plainText,
  '.text': plainText,
  '.rst': plainText,
  '.adoc': plainText,
  '.org': plainText,
};

/**
 * Reads a file by its ending; gives nothing after a problem was reported.
 *
 * @param name what the file is called, where that is not its name on disk
 */
export async function readSections(
  file: string,
  onProblem: OnProblem,
  name = file,
): Promise<SectionedDocument | undefined> {
  const ending = extname(file).toLowerCase();
  if (ending === PDF) return pdfSections(file, onProblem);
  const content = await readText(file, onProblem);
  if (content === undefined) return undefined;
  try {
    return sectionsIn(name, content);
  } catch (error) {
    if (!(error instanceof NearmissError)) throw error;
    return reportUnreadable(file, error, onProblem);
  }
}

/** The sections of a text by the ending of its name; an error where they are nested without end. */
function sectionsIn(file: string, content: string): SectionedDocument {
  const ending = extname(file).toLowerCase();
  const language = CODE_LANGUAGES[ending];
  if (language !== undefined) return codeSections(file, content, language);
  try {
    return (PARSERS[ending as keyof typeof PARSERS] ?? plainText)(content);
  } catch (error) {
    throw asNearmissError(error);
  }
}

/** Parsers that were not written here fail as they like, e.g. when they call themselves too often. */
function asNearmissError(error: unknown): NearmissError {
  if (error instanceof NearmissError) return error;
  return new NearmissError(`cannot be parsed: ${(error as Error).message}`, {
    hint: 'look at the file: it is nested too deeply, or no text',
    cause: error,
  });
}
