import { marked } from 'marked';
import { isMap, parseDocument } from 'yaml';
import { htmlSections, type SectionedDocument } from './html-sections.js';

/**
 * Quotes and lists in each other beyond what a person writes or GitHub shows: the parser calls itself for each, and reads
 * what is inside again.
 */
const DEEP =
  /^((?:[ \t>]|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t])){100})(?:[ \t>]|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))+/gm;

/** Reads the text of a Markdown document (GitHub's kind), section by section; front matter gives the title. */
export function markdownSections(markdown: string): SectionedDocument {
  const { title, body } = splitFrontMatter(markdown);
  // HTML is part of Markdown, so its reader is the reader of both.
  const document = htmlSections(marked.parse(body.replace(DEEP, '$1'), { async: false }));
  return { ...document, ...(title !== undefined && { title }), namesHeadings: true };
}

const YAML_MATTER = /^---[^\S\n]*\n([\s\S]*?\n)?(?:---|\.\.\.)[^\S\n]*(?:\n|$)/;
const TOML_MATTER = /^\+\+\+[^\S\n]*\n([\s\S]*?\n)?\+\+\+[^\S\n]*(?:\n|$)/;

/** Takes off the YAML or TOML block that site generators put before the text. */
function splitFrontMatter(markdown: string): { title?: string; body: string } {
  const toml = TOML_MATTER.exec(markdown);
  if (toml) return { title: tomlTitle(toml[1] ?? ''), body: markdown.slice(toml[0].length) };
  const yaml = YAML_MATTER.exec(markdown);
  // Between two rules there may be ordinary text as well.
  if (!yaml || !/^[\w-]+[^\S\n]*:/m.test(yaml[1] ?? '')) return { body: markdown };
  return { title: yamlTitle(yaml[1]), body: markdown.slice(yaml[0].length) };
}

function yamlTitle(yaml: string): string | undefined {
  const document = parseDocument(yaml);
  const title = isMap(document.contents) && document.errors.length === 0 ? document.get('title') : undefined;
  if (title !== undefined) return text(title);
  // Much front matter is not quite YAML (an unquoted colon, a template): the line still says it.
  return text(/^title[^\S\n]*:(.*)$/m.exec(yaml)?.[1]);
}

function tomlTitle(toml: string): string | undefined {
  return text(/^title\s*=\s*(["'])(.*)\1/m.exec(toml)?.[2]);
}

function text(value: unknown): string | undefined {
  const title = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
  return title === '' ? undefined : title;
}
