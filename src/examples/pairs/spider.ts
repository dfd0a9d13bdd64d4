import { between, whole } from '../../base/settings.js';
import { splitText } from '../../text/split-text.js';
import { type MadePair, pairMaker, titled } from './pair-maker.js';
import { type Piece, pieceOf, type RecurringSpan, recurringSpans } from './recurring-spans.js';

/** Fewer pieces than this make no document in which something recurs. */
const FEWEST_PIECES = 3;

/**
 * Spider (Ram et al. 2022, arXiv:2112.07708): a span that recurs in a document. The words around one occurrence ask for another
 * passage that has it; a passage of the same document that lacks it does not answer. The span itself is cut out of the query
 * half of the time.
 */
export const spiderMaker = pairMaker({
  name: 'spider',
  description: 'the words around a span ask for another passage of the document that has the span (Spider)',
  origin: 'Ram et al. 2022',
  options: {
    keep: between(0, 1).default(0.5).describe('how often the span stays in the query'),
    least: whole(1).default(2).describe('words of a span at least'),
    most: whole(1).default(10).describe('words of a span at most'),
    pieceWords: whole(20).default(100).describe('words of a passage'),
    shortest: whole(1).default(10).describe('words of a query at least'),
    longest: whole(1).default(30).describe('words of a query at most'),
  },
  check: ({ least, most, shortest, longest }) => [
    ...(least > most
      ? [{ level: 'error' as const, field: 'least', message: `expected at most ${most}, got ${least}` }]
      : []),
    ...(shortest > longest
      ? [
          {
            level: 'error' as const,
            field: 'shortest',
            message: `expected at most ${longest}, got ${shortest}`,
          },
        ]
      : []),
  ],
  *make({ passages }, random, options) {
    const owners: number[] = [];
    const pieces = passages.flatMap(({ text }, passage) =>
      splitText(text, { maxWords: options.pieceWords }).map((part) => {
        owners.push(passage);
        return pieceOf(part);
      }),
    );
    if (pieces.length < FEWEST_PIECES) return;
    const spans = recurringSpans(pieces, options);
    // As many queries as there are pieces, each of another span.
    random.shuffle(spans).length = Math.min(spans.length, pieces.length);
    for (const span of spans) {
      const asking = span.places[random.integer(span.places.length)];
      const others = span.places.filter(({ piece }) => piece !== asking.piece);
      const answering = others[random.integer(others.length)];
      const window = {
        length: options.shortest + random.integer(options.longest - options.shortest + 1),
        shift: random.uniform(),
      };
      const around = (keeps: boolean): string =>
        windowOf(pieces[asking.piece], asking.first, span, { ...window, keeps });
      // Where nothing stands around the span, the span itself has to ask.
      const query = around(random.uniform() < options.keep) || around(true);
      const without = lacking(pieces, span);
      const negative = without.length > 0 ? without[random.integer(without.length)] : undefined;
      const owner = passages[owners[answering.piece]];
      const read = (piece: number): string => titled(passages[owners[piece]].title, pieces[piece].text);
      const pair: MadePair = { query, document: owner.number, positive: read(answering.piece) };
      yield negative === undefined ? pair : { ...pair, negative: read(negative) };
    }
  },
});

/** The words around a span, `length` of them; without the span itself, wherever the window has it, unless it is kept. */
function windowOf(
  { text, words, lower }: Piece,
  first: number,
  { length: spanWords }: RecurringSpan,
  { length, shift, keeps }: { length: number; shift: number; keeps: boolean },
): string {
  const size = Math.min(words.length, Math.max(length, spanWords + 1));
  const earliest = Math.max(
    0,
    Math.min(first - Math.floor(shift * (size - spanWords + 1)), words.length - size),
  );
  const last = earliest + size - 1;
  const span = lower.slice(first, first + spanWords).join(' ');
  const kept: number[] = [];
  const isSpan = (at: readonly number[]): boolean => at.map((word) => lower[word]).join(' ') === span;
  for (let word = earliest; word <= last; word++) {
    kept.push(word);
    // Also where what stood around one makes up another.
    if (!keeps && isSpan(kept.slice(-spanWords))) kept.length -= spanWords;
  }
  const parts = kept.map((word) =>
    text.slice(words[word].start, word === last ? words[word].end : words[word + 1].start),
  );
  return parts.join('').replace(/\s+/g, ' ').trim();
}

/** The pieces that do not have a span. */
function lacking(pieces: readonly Piece[], { places, length }: RecurringSpan): number[] {
  const having = new Set(places.map(({ piece }) => piece));
  const { piece, first } = places[0];
  const span = pieces[piece].lower.slice(first, first + length).join(' ');
  return [...pieces.keys()].filter(
    (other) => !having.has(other) && !pieces[other].joined.includes(` ${span} `),
  );
}
