/** A text without the heading that it repeats at its beginning; empty where that was all. */
export function withoutHeading(text: string, heading: string): string {
  const own = text.trimStart();
  const repeats = own.toLowerCase().startsWith(heading.toLowerCase());
  return (repeats ? own.slice(heading.length) : own).replace(/^[\s:.–—-]+/u, '').trim();
}
