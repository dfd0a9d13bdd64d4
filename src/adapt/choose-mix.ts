import type { PairSurvey } from '../examples/index.js';

/** Which makers' pairs are learned from, and which are held out to measure with. No maker is in both. */
export interface Mix {
  train: string[];
  heldOut: string[];
}

/** A maker with fewer pairs than this is not measured with. */
const ENOUGH_TO_MEASURE = 60;
/** Makers that only stand in where there is nothing better, best first; a sentence that asks for itself teaches no search. */
const STAND_INS = ['ict', 'spider', 'crops'];

/**
 * Chooses by what a collection has. What people wrote themselves (questions, links, headings, titles) is nearest to what is asked
 * later, so it comes first on both sides: the one with most pairs measures, the others teach. What chance makes of
 * sentences teaches besides, and measures only where there is nothing else.
 */
export function chooseMix(makers: readonly PairSurvey[]): Mix {
  const withPairs = makers.filter(({ pairs }) => pairs > 0);
  const natural = withPairs.filter((maker) => maker.natural).sort((a, b) => b.pairs - a.pairs);
  const standIns = STAND_INS.filter((name) => withPairs.some(({ maker }) => maker === name));
  const measurable = natural.filter(({ pairs }) => pairs >= ENOUGH_TO_MEASURE).map(({ maker }) => maker);
  const heldOut = measurable.slice(0, 1);
  const teaching = natural.map(({ maker }) => maker).filter((name) => !heldOut.includes(name));
  if (heldOut.length === 0) {
    const last = standIns.pop();
    if (last !== undefined) heldOut.push(last);
  }
  // Crops are the crudest: they teach only where sentences cannot.
  const crude = standIns.length > 1 ? standIns.filter((name) => name !== 'crops') : standIns;
  return { train: [...teaching, ...crude], heldOut };
}
