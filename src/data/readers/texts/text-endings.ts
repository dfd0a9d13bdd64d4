// Apart from the readers, so that whoever only asks need not load them.

/** The endings of files that hold texts. */
export const TEXT_EXTENSIONS = [
  ...(['.md', '.markdown', '.mdx', '.html', '.htm'] as const),
  ...(['.txt', '.text', '.rst', '.adoc', '.org', '.pdf'] as const),
] as const;

export function isTextFile(ending: string): boolean {
  return (TEXT_EXTENSIONS as readonly string[]).includes(ending);
}
