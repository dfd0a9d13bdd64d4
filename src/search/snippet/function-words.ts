import { englishAnalyzer } from '../../text/analyzers/index.js';

/** Words of questions and sentences that an index keeps (they may be a title) and that nobody looks for in a text. */
const WORDS =
  'about after all also am any anyone anything because been before being between both can cannot could did do does doing done ' +
  'each else ever every few from further get gets getting give got had has have having he her here him his how i its itself ' +
  'just let like make me more most much my need no nor now off once only other our out over own please same she should ' +
  'so some something tell than them too under until up us very want we were what when where which while who whom whose ' +
  'why would you your yours';

const TERMS = new Set(WORDS.split(' ').flatMap((word) => [word, englishAnalyzer.term(word) ?? word]));

/** A term this much lighter than the heaviest of its query is in so many documents that it says nothing: a function word of any language. */
const LIGHT = 0.1;
/** What a term weighs that is in one of about a hundred documents. Among fewer, a word that all have may be what they are about. */
const RARE = 4;

/**
 * The terms of a query that are worth marking; all of them where there would be none.
 *
 * @param weights how much each term counts
 */
export function contentTerms(weights: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const words = [...weights].filter(([term]) => !TERMS.has(term));
  const heaviest = Math.max(...words.map(([, weight]) => weight));
  const kept = heaviest < RARE ? words : words.filter(([, weight]) => weight >= LIGHT * heaviest);
  return kept.length > 0 ? new Map(kept) : weights;
}
