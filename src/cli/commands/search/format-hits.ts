import { printable } from '../../../base/printable.js';
import type { TermMatch } from '../../../search/explain/term-matches.js';
import type { TokenMatches } from '../../../search/explain/token-matches.js';
import type { GroupedHit } from '../../../search/group-hits.js';
import { placeOf, placeText } from '../../../search/passage-place.js';
import type { ScorePart } from '../../../search/retrievers/retriever.js';
import type { Searcher } from '../../../search/searcher.js';
import type { Snippet } from '../../../search/snippet/snippet.js';
import { type SnippetPart, snippetParts } from '../../../search/snippet/snippet-parts.js';
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
  const { text, cut, highlights } = snippet;
  const parts: SnippetPart[] = snippetParts(original, snippet) ?? [{ isCode: false, text, highlights }];
  return parts.flatMap((part, nth) => {
    if (part.isCode) return codeLines(part, room).map((line) => `${INDENT}${marked(line, style)}`);
    const before = cut.before && nth === 0 ? '…' : '';
    const after = cut.after && nth === parts.length - 1 ? '…' : '';
    return [`${INDENT}${before}${marked(part, style)}${after}`];
  });
}

/** The lines of code, as much of each as there is room for. */
function codeLines(
  { text, highlights }: SnippetPart,
  room: number,
): Pick<SnippetPart, 'text' | 'highlights'>[] {
  let at = 0;
  return text.split('\n').map((line) => {
    const start = at;
    at += line.length + 1;
    const isLong = line.length > room;
    const kept = isLong ? line.slice(0, room - 1) : line;
    const own = highlights
      .map(([from, to]): [number, number] => [from - start, to - start])
      .filter(([from, to]) => from >= 0 && to <= kept.length);
    return { text: isLong ? `${kept}…` : kept, highlights: own };
  });
}

function marked({ text, highlights }: Pick<SnippetPart, 'text' | 'highlights'>, style: Style): string {
  return highlight(printable(text), highlights, style);
}

/** `bm25 12.3400 (rank 2) → 0.0161: anemia 8.1, cause 4.2`; `dense 21.5 (rank 1): anemia → an ##emia .93, …` */
export function formatPart({ name, score, rank, contribution, terms, matches }: ScorePart): string {
  const own = score === undefined ? 'not found' : `${score.toFixed(4)} (rank ${rank})`;
  const added = contribution === undefined ? '' : ` → ${contribution.toFixed(4)}`;
  const words = terms?.map(formatTerm).join(', ');
  const chosen = matches && formatMatches(matches);
  return `${name} ${own}${added}${words ? `: ${words}` : ''}${chosen ? `: ${chosen}` : ''}`;
}

/** `anemia 8.10`; learned weights: `anemia 3.08 (1.40 × 2.20)`, with a + where the model expanded a text with the term. */
function formatTerm({ term, score, query, document, notIn = [] }: TermMatch): string {
  const gave = `${printable(term)} ${score.toFixed(2)}`;
  if (query === undefined || document === undefined) return gave;
  const weight = (side: 'query' | 'document', value: number): string =>
    `${notIn.includes(side) ? '+' : ''}${value.toFixed(2)}`;
  return `${gave} (${weight('query', query)} × ${weight('document', document)})`;
}

/** What each token of the query's own text chose; those that it was filled up with give together. */
function formatMatches({ query, document }: TokenMatches): string {
  let filled = 0;
  const own = query.filter(({ token, score }) => {
    if (!FILLERS.has(token)) return true;
    filled += score;
    return false;
  });
  const parts = own.map(
    ({ token, chose, score }) => `${printable(token)} → ${printable(document[chose])} ${score.toFixed(2)}`,
  );
  return [...parts, ...(filled === 0 ? [] : [`filled up ${filled.toFixed(2)}`])].join(', ');
}

/** Tokens that queries are filled up with. */
const FILLERS = new Set(['[MASK]', '<mask>']);
