import { mean } from '../base/numbers/mean.js';
import { openDataset } from '../data/index.js';
import { pairedTTest } from '../evaluate/index.js';
import { pairMakers } from '../examples/index.js';
import { CHANCE, leadingCheckpoint, readEvaluation } from '../run/choose-best.js';
import { evaluationQueries } from '../run/evaluation-queries.js';
import { readRunDescription } from '../run/run-description.js';
import type { RunDirectory } from '../run/run-directory.js';
import { bestSoFar } from '../run/step-evaluation.js';
import { isOtherScript } from '../text/scripts.js';
import { QUESTIONS_SPLIT } from './adapted-dataset.js';
import { readsEnglish } from './reads-english.js';

/** What came of an adaptation, by queries that were not learned from. */
export type AdaptVerdict = 'better' | 'level' | 'not better';

/** Held-out queries of one kind, before and after. */
export interface KindOutcome {
  /** The maker, or `questions` of people. */
  kind: string;
  queries: number;
  start: number;
  adapted: number;
  /** Two-sided, of the paired t-test. */
  p: number;
}

export interface Judged {
  verdict: AdaptVerdict;
  measure: string;
  split: string;
  /** Whether the model in `best/` is the adapted one. */
  adapted: boolean;
  /** Whether people wrote the queries as what they are. Parts of texts, which ask otherwise, are poor judges. */
  natural: boolean;
  /** Whether most queries are in another script than the start knows: minilm reads English. */
  unread: boolean;
  kinds: KindOutcome[];
}

/** Compares start and adapted model on the queries of a finished run, all together and kind by kind. */
export async function judgeAdaptation(run: RunDirectory): Promise<Judged | undefined> {
  const { recipe, data } = await readRunDescription(run);
  const { split, best: measure, queries: limit } = recipe.evaluation;
  const [start, lead] = [await readEvaluation(run, 0), await leadingCheckpoint(run, measure)];
  if (!start?.values || !lead?.values) return undefined;
  const dataset = await openDataset(data);
  const makers = new Map<string, string>();
  let others = 0;
  for await (const { id, text, metadata } of dataset.queries(split)) {
    if (isOtherScript(text)) others++;
    makers.set(id, typeof metadata?.maker === 'string' ? metadata.maker : split);
  }
  const known = [...(await dataset.qrels(split)).keys()].filter((id) => makers.has(id));
  const ids = evaluationQueries(known, { split, limit, seed: recipe.seed });
  const places = new Map<string, number[]>();
  ids.forEach((id, place) => {
    const kind = makers.get(id)!;
    places.set(kind, [...(places.get(kind) ?? []), place]);
  });
  const pick = (values: readonly number[], at: readonly number[]): Float64Array =>
    Float64Array.from(at, (place) => values[place]);
  const kinds = [...places].map(([kind, at]): KindOutcome => {
    const [before, after] = [pick(start.values!, at), pick(lead.values!, at)];
    const p = at.length > 1 ? pairedTTest(after, before).p : 1;
    return { kind, queries: at.length, start: mean(before), adapted: mean(after), p };
  });
  const isNatural = (kind: string): boolean =>
    pairMakers.kinds.some(({ name, natural }) => name === kind && natural === true);
  const adapted = ((await bestSoFar(run))?.step ?? 0) > 0;
  const worse = pairedTTest(Float64Array.from(start.values), Float64Array.from(lead.values));
  const notBetter = worse.t > 0 && worse.p / 2 < CHANCE;
  return {
    verdict: adapted ? 'better' : notBetter ? 'not better' : 'level',
    measure,
    split,
    adapted,
    natural: split === QUESTIONS_SPLIT || [...places.keys()].every(isNatural),
    unread: readsEnglish(recipe.model.init) && 2 * others > makers.size,
    kinds,
  };
}
