import { fullText } from '../data/index.js';
import { buildRules, type CandidateRule } from '../negatives/index.js';
import { TextStore } from '../negatives/text-store.js';
import type { NegativesRecipe } from './recipe/recipe.js';
import type { TrainingData } from './training-data.js';

/** Runs `work` with the guards against unlabelled positives that a recipe asks for. */
export async function withRules<T>(
  recipe: NegativesRecipe,
  data: TrainingData,
  work: (rules: CandidateRule[]) => Promise<T>,
): Promise<T> {
  if (!recipe.dropAnswers) return work(buildRules(recipe));
  const answers = await answersOf(data);
  const texts = await TextStore.create(documentTexts(data));
  try {
    return await work(
      buildRules(recipe, { answers: { answersOf: (query) => answers[query], textOf: texts.get } }),
    );
  } finally {
    await texts.close();
  }
}

async function answersOf(data: TrainingData): Promise<string[][]> {
  const placeOf = new Map(data.training.map(({ query }, place) => [query, place]));
  const answers: string[][] = data.training.map(() => []);
  for await (const { id, metadata } of data.dataset.queries()) {
    const place = placeOf.get(data.queries.cache.indexOf(id));
    const given = metadata?.answers;
    if (place !== undefined && Array.isArray(given)) answers[place] = given.map(String);
  }
  return answers;
}

async function* documentTexts({ dataset }: TrainingData): AsyncGenerator<string> {
  for await (const document of dataset.documents()) yield fullText(document);
}
