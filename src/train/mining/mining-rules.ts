import { fullText } from '../../data/index.js';
import { queryAnswers } from '../../evaluate/query-answers.js';
import { buildRules, type CandidateRule, type RankedOptions } from '../../negatives/index.js';
import { TextStore } from '../../negatives/text-store.js';
import { placesOf, type TrainingData } from '../../run/training-data.js';

/** What to do where a query has no answers. */
export const ANSWERS_HINT =
  'dropping answers needs the answers of every training query; leave dropAnswers out of the recipe';

/** Runs `work` with the guards against unlabelled positives that a recipe asks for. */
export async function withRules<T>(
  recipe: Pick<
    RankedOptions,
    | 'skipRanks'
    | 'margin'
    | 'relativeMargin'
    | 'maxScore'
    | 'dropAnswers'
    | 'keepDuplicates'
    | 'dropSameSource'
  >,
  data: TrainingData,
  work: (rules: CandidateRule[]) => Promise<T>,
): Promise<T> {
  const fingerprintOf = recipe.keepDuplicates ? undefined : await data.textFingerprints();
  const sourceOf = recipe.dropSameSource ? await data.sourceNumbers() : undefined;
  if (!recipe.dropAnswers) return work(buildRules(recipe, { fingerprintOf, sourceOf }));
  const answers = await answersOf(data);
  const texts = await TextStore.create(documentTexts(data));
  try {
    const answerTexts = { answersOf: (query: number) => answers[query], textOf: texts.get };
    return await work(buildRules(recipe, { fingerprintOf, sourceOf, answers: answerTexts }));
  } finally {
    await texts.close();
  }
}

async function answersOf(data: TrainingData): Promise<string[][]> {
  const placeOf = placesOf(data);
  const answers: string[][] = data.training.map(() => []);
  for await (const query of data.dataset.queries()) {
    const place = placeOf.get(data.queries.cache.indexOf(query.id));
    if (place !== undefined) answers[place] = queryAnswers(query, ANSWERS_HINT);
  }
  return answers;
}

async function* documentTexts({ dataset }: TrainingData): AsyncGenerator<string> {
  for await (const document of dataset.documents()) yield fullText(document);
}
