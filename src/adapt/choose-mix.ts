import type { PairSurvey } from '../examples/index.js';

/** Which makers' pairs are learned from, and which are held out to measure with. No maker is in both. */
export interface Mix {
  train: string[];
  heldOut: string[];
}

/** A maker with fewer pairs than this is not measured with, unless there is no other. */
const ENOUGH_TO_MEASURE = 60;
/** What chance makes of texts that teaches, and that measures. A sentence that asks for itself does neither. */
const TEACHERS = ['ict', 'spider'];
const MEASURES = ['spider', 'crops'];

/**
 * Chooses by what a collection has. What people wrote themselves (questions, links, headings, titles) is nearest to what is asked
 * later, so it comes first on both sides: the kind with most pairs measures, the others teach. Titles and headings stand in the
 * text that is searched and are easily found; so a second kind measures, whose queries are not in their answers if the collection
 * has such, and sentences teach besides.
 */
export function chooseMix(makers: readonly PairSurvey[]): Mix {
  const pairsOf = (name: string): number => makers.find(({ maker }) => maker === name)?.pairs ?? 0;
  const natural = makers
    .filter((maker) => maker.natural && maker.pairs > 0)
    .sort((a, b) => b.pairs - a.pairs);
  const heldOut = natural
    .slice(0, 1)
    .flatMap(({ maker, pairs }) => (pairs >= ENOUGH_TO_MEASURE ? [maker] : []));
  const second =
    MEASURES.find((name) => pairsOf(name) >= ENOUGH_TO_MEASURE) ??
    MEASURES.findLast((name) => pairsOf(name) > 0);
  if (second !== undefined) heldOut.push(second);
  const teaching = [...natural.map(({ maker }) => maker), ...TEACHERS.filter((name) => pairsOf(name) > 0)];
  return { train: teaching.filter((name) => !heldOut.includes(name)), heldOut };
}
