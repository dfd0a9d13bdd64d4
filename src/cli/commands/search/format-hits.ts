import { printable } from '../../../base/printable.js';
import type { GroupedHit } from '../../../search/group-hits.js';
import { placeOf, placeText } from '../../../search/passage-place.js';
import type { ScorePart } from '../../../search/retrievers/retriever.js';
import type { Searcher } from '../../../search/searcher.js';
import type { Snippet } from '../../../search/snippet.js';
import { codeLines } from './code-lines.js';
import { bold, dim, highlight, type Style } from './style.js';

const INDENT = '    ';
/** Lines of a hit's snippet. */
const SNIPPET_LINES = 2;

/** Hits with titles and snippets, one below the other. */
export async function formatHits(
  searcher: Searcher,
  { query, hits }: { query: string; hits: readonly GroupedHit[] },
  style: Style,
): Promise<string> {
  if (hits.length === 0) return 'nothing found\n';
  const documents = await searcher.documents.getAll(hits.map(({ id }) => id));
  const room = Math.max(20, style.width - INDENT.length);
  const terms = searcher.queryTerms(query);
  const lines = hits.flatMap((hit, i) => {
    const document = documents[i];
    const head = `${String(i + 1).padStart(3)}  ${hit.score.toFixed(4)}  ${bold(printable(hit.id), style)}`;
    const title = document?.title ? `  ${printable(document.title)}` : '';
    const shown = [`${head}${title}`];
    const place = document && placeOf(document, (id) => searcher.documents.has(id));
    const others = hit.group?.others.length ?? 0;
    const more = others > 0 ? `  and ${others} more in ${printable(hit.group!.value)}` : '';
    if (place || more)
      shown.push(`${INDENT}${dim(`${place ? printable(placeText(place)) : ''}${more}`, style)}`);
    if (document?.text) {
      const length = SNIPPET_LINES * room - SNIPPET_LINES;
      const snippet = searcher.snippet(terms, document, { length });
      shown.push(...snippetLines(document.text, snippet, { room, style }));
    }
    return [...shown, ...(hit.parts ?? []).map((part) => `${INDENT}${dim(formatPart(part), style)}`)];
  });
  return `${lines.join('\n')}\n`;
}

/** Prose as it flows, code by its lines. */
function snippetLines(
  original: string,
  snippet: Snippet,
  { room, style }: { room: number; style: Style },
): string[] {
  const code = codeLines(original, snippet, room);
  if (code !== undefined) {
    return code.map(({ text, highlights }) => `${INDENT}${highlight(printable(text), highlights, style)}`);
  }
  const { text, cut, highlights } = snippet;
  const marked = highlight(printable(text), highlights, style);
  return [`${INDENT}${cut.before ? '…' : ''}${marked}${cut.after ? '…' : ''}`];
}

/** `bm25 12.3400 (rank 2) → 0.0161: anemia 8.1, cause 4.2` */
export function formatPart({ name, score, rank, contribution, terms }: ScorePart): string {
  const own = score === undefined ? 'not found' : `${score.toFixed(4)} (rank ${rank})`;
  const added = contribution === undefined ? '' : ` → ${contribution.toFixed(4)}`;
  const words = terms?.map((term) => `${printable(term.term)} ${term.score.toFixed(2)}`).join(', ');
  return `${name} ${own}${added}${words ? `: ${words}` : ''}`;
}
