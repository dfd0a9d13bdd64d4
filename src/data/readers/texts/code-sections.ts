import { basename } from 'node:path';
import { fenced } from '../code-fences.js';
import type { SectionedDocument } from '../html-sections.js';

/** Reads a program as code, which keeps its lines and indentation; its title is the file's name. */
export function codeSections(file: string, content: string, language: string): SectionedDocument {
  const text = fenced(content, language);
  // The line before the code's first is not the file's.
  return { title: basename(file), sections: text === '' ? [] : [{ headings: [], text, line: 0 }] };
}
