import type { PairSurvey } from '../examples/index.js';

/** Which makers' pairs are learned from, and which is held out to measure with. No maker is in both. */
export interface Mix {
  train: string[];
  heldOut: string[];
  /** Whether people wrote the held-out queries as what they are. Others overrate what sentences teach. */
  natural: boolean;
}

/** A maker with fewer pairs than this is not measured with, unless there is no other. */
const ENOUGH_TO_MEASURE = 60;
/** With fewer pairs than this of the other makers, another one measures, if it leaves more. */
const ENOUGH_TO_TEACH = 150;
/** What chance makes of texts that teaches, and that measures. A sentence that asks for itself does neither. */
const TEACHERS = ['ict', 'spider'];
const STAND_INS = ['spider', 'crops'];

/**
 * Chooses by what a collection has. What people wrote themselves (questions, links, headings, titles) is nearest to what is asked
 * later, so it comes first on both sides: the kind with most pairs measures, the others teach, and sentences besides. Where
 * there is nothing of it, or nothing else to learn from, what chance makes has to measure.
 */
export function chooseMix(makers: readonly PairSurvey[]): Mix {
  const pairsOf = (name: string): number => makers.find(({ maker }) => maker === name)?.pairs ?? 0;
  const written = makers
    .filter((maker) => maker.natural && maker.pairs > 0)
    .sort((a, b) => b.pairs - a.pairs)
    .map(({ maker }) => maker);
  const teaching = [...written, ...TEACHERS.filter((name) => pairsOf(name) > 0)];
  const mixWith = (heldOut: string): Mix => ({
    train: teaching.filter((name) => name !== heldOut),
    heldOut: [heldOut],
    natural: written.includes(heldOut),
  });
  const teaches = ({ train }: Mix): boolean =>
    train.reduce((sum, name) => sum + pairsOf(name), 0) >= ENOUGH_TO_TEACH;
  const measuring = [...written.slice(0, 1), ...STAND_INS]
    .filter((name) => pairsOf(name) >= ENOUGH_TO_MEASURE)
    .map(mixWith);
  const last = STAND_INS.findLast((name) => pairsOf(name) > 0);
  return (
    measuring.find(teaches) ??
    measuring[0] ??
    (last === undefined ? { train: teaching, heldOut: [], natural: false } : mixWith(last))
  );
}
