import type { Dataset } from '../../data/index.js';
import { openDataset } from '../../data/open.js';
import { loadRecipe } from '../../recipe/load.js';
import { builtInRecipes } from '../../recipe/recipe-file.js';
import type { TrainingsAnswer } from '../answers/trainings.js';

/** Of these a person at a page has a use; the rest reproduce papers, or are parts of others. */
const OFFERED = ['default', 'ance-firstp', 'bm25-neg', 'rand-neg', 'reranker'];

/** Recipes to choose from, the usual one first. */
export async function offeredRecipes(): Promise<TrainingsAnswer['recipes']> {
  const there = await builtInRecipes();
  const names = OFFERED.filter((name) => there.includes(name));
  return Promise.all(
    names.map(async (name) => {
      const { recipe } = await loadRecipe(name);
      return { name, description: recipe.description };
    }),
  );
}

const KNOWN_MS = 10_000;
const known = new Map<string, { splits: Promise<TrainingsAnswer['splits']>; until: number }>();

/**
 * Splits with judgments, and how many. All judgments are read for that, so what was found holds for some seconds: a page
 * asks every second.
 */
export function labelledSplits(data: string): Promise<TrainingsAnswer['splits']> {
  const before = known.get(data);
  if (before !== undefined && before.until > performance.now()) return before.splits;
  const splits = readSplits(data);
  known.set(data, { splits, until: performance.now() + KNOWN_MS });
  splits.catch(() => known.delete(data));
  return splits;
}

async function readSplits(data: string): Promise<TrainingsAnswer['splits']> {
  const dataset: Dataset = await openDataset(data);
  const splits: TrainingsAnswer['splits'] = [];
  for (const name of await dataset.splits()) {
    let judgments = 0;
    const qrels = await dataset.qrels(name);
    for (const { size } of qrels.values()) judgments += size;
    splits.push({ name, judgments, queries: qrels.size });
  }
  return splits;
}
