import type { Snippet } from '../api.js';

/** A snippet with its matches marked. */
export function Highlighted({ text, highlights }: Snippet) {
  const pieces = [];
  let end = 0;
  for (const [from, to] of highlights) {
    if (from < end) continue;
    pieces.push(text.slice(end, from), <mark key={from}>{text.slice(from, to)}</mark>);
    end = to;
  }
  return (
    <>
      {pieces}
      {text.slice(end)}
    </>
  );
}
