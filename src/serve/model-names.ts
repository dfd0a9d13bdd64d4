import type { Searcher } from '../search/searcher.js';
import { ApiError } from './api-error.js';

/** Stands for whatever model is served, in clients that cannot leave it out. */
const MODEL_ALIAS = 'nearmiss';

/** What the models that are served answer to: for vectors, and for putting documents in order. */
export function modelNames({ model, reranker, name }: Searcher): string[] {
  const own = [model?.name, reranker?.name, ...(model || reranker ? [name, MODEL_ALIAS] : [])];
  return [...new Set(own.filter((each) => each !== undefined))];
}

/** Refuses a model that is not served here. */
export function checkModel(searcher: Searcher, asked: string | undefined): void {
  const names = modelNames(searcher);
  if (asked === undefined || names.includes(asked)) return;
  throw new ApiError(404, 'not_found', `the model "${asked.slice(0, 200)}" is not served here`, {
    hint: `leave "model" out, or ask for one of ${names.map((name) => `"${name}"`).join(', ')}`,
  });
}
