import { NearmissError } from '../base/errors.js';
import type { Dataset } from '../data/dataset.js';
import { answerTokens, containsAnswer } from './has-answer.js';
import { queryAnswers } from './query-answers.js';
import { type HitSelection, type Run, selectHits } from './run.js';

/** Query id → rank of the first hit whose text holds an answer; queries without such a hit are missing. */
export type AnswerRanks = ReadonlyMap<string, number>;

const NO_ANSWERS =
  'Coverage needs the answers of every query; use R@k or Success@k with collections that have none';

interface Asked {
  id: string;
  answers: string[][];
  /** The best rank found so far. */
  rank: number;
}

/**
 * Finds, for each query of a run, the first passage that holds an answer, for `Coverage@k`. The answers are the
 * queries' `metadata.answers`. The passages are read once as a stream and none is kept.
 *
 * @example
 * const answerRanks = await findAnswerRanks(dataset, run, { depth: 100 });
 * evaluate(run, await dataset.qrels('test'), ['Coverage@20'], { answerRanks });
 */
export async function findAnswerRanks(
  dataset: Dataset,
  run: Run,
  options: HitSelection & { split?: string } = {},
): Promise<AnswerRanks> {
  const wanted = new Map<string, { asked: Asked; rank: number }[]>();
  const queries: Asked[] = [];
  for await (const { id, metadata } of dataset.queries(options.split)) {
    const ranking = run.rankings.get(id);
    if (!ranking) continue;
    const asked = {
      id,
      answers: queryAnswers({ id, metadata }, NO_ANSWERS).map(answerTokens),
      rank: Number.POSITIVE_INFINITY,
    };
    queries.push(asked);
    selectHits(id, ranking, options).ids.forEach((document, i) => {
      const places = wanted.get(document);
      if (places) places.push({ asked, rank: i + 1 });
      else wanted.set(document, [{ asked, rank: i + 1 }]);
    });
  }
  for await (const { id, text } of dataset.documents()) {
    const places = wanted.get(id);
    if (!places) continue;
    const tokens = answerTokens(text);
    for (const { asked, rank } of places) {
      if (rank < asked.rank && asked.answers.some((answer) => containsAnswer(tokens, answer)))
        asked.rank = rank;
    }
    wanted.delete(id);
  }
  checkAllSeen(dataset, wanted);
  return new Map(queries.filter(({ rank }) => Number.isFinite(rank)).map(({ id, rank }) => [id, rank]));
}

function checkAllSeen(dataset: Dataset, missing: ReadonlyMap<string, unknown>): void {
  if (missing.size === 0) return;
  const example = JSON.stringify(missing.keys().next().value);
  throw new NearmissError(
    `${missing.size} documents of the run are not in the dataset ${JSON.stringify(dataset.name)}, e.g. ${example}`,
    { hint: 'was the run made on another collection?' },
  );
}
