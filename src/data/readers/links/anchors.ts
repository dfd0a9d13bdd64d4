/**
 * Gives the anchors of a document's headings as GitHub and most site generators make them: `Getting started` is
 * `getting-started`, and the second of that name `getting-started-1`.
 */
export function anchorsOf(): (headings: readonly string[]) => string {
  const known = new Map<string, string>();
  const used = new Map<string, number>();
  return (headings) => {
    const trail = headings.join('\n');
    const before = known.get(trail);
    if (before !== undefined) return before;
    const slug = slugOf(headings[headings.length - 1]);
    const count = used.get(slug) ?? 0;
    used.set(slug, count + 1);
    const anchor = count === 0 ? slug : `${slug}-${count}`;
    known.set(trail, anchor);
    return anchor;
  };
}

function slugOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
    .replace(/\s/g, '-');
}
