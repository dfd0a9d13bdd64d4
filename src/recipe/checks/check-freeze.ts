import { modelKinds } from '../../model/kinds.js';
import { frozenParts } from '../freeze.js';
import type { Problem } from '../problems.js';
import type { Recipe } from '../recipe.js';

/** Finds parts in a stage's `freeze` that the model does not have, and stages in which nothing is left to learn. */
export function checkFreeze({ model, stages }: Recipe, index: number): Problem[] {
  const { freeze } = stages[index];
  const problems: Problem[] = [];
  const error = (keys: Problem['keys'], message: string, hint: string): number =>
    problems.push({ level: 'error', keys: ['stages', index, 'freeze', ...keys], message, hint });
  frozenParts(freeze).forEach((frozen, nth) => {
    if ((frozen.part === 'queries' || frozen.part === 'documents') && model.towers !== 'two') {
      error(
        [nth],
        `one encoder reads queries and documents, so ${frozen.part} cannot stay as they are alone`,
        'set model.towers=two, or freeze layers',
      );
    }
    const writes = modelKinds.get(model.kind).writes ?? false;
    if (frozen.part !== 'encoder' && writes) {
      error([nth], `expected encoder for a model that writes, got ${freeze[nth]}`, 'set freeze: [encoder]');
    }
    if (frozen.part === 'encoder' && !writes) {
      error(
        [nth],
        'only a model that writes has an encoder beside something else that learns',
        'freeze embeddings and layers, or set model.kind=seq2seq',
      );
    }
    if (frozen.part === 'layers' && model.layers !== undefined && frozen.last >= model.layers) {
      error(
        [nth],
        `expected layers from 0 to ${model.layers - 1}, got ${freeze[nth]}`,
        'layers are counted from 0',
      );
    }
  });
  if (nothingLearns(model, freeze)) {
    error([], 'everything is frozen, so that nothing can be learned', 'leave some part out');
  }
  return problems;
}

/** As far as a recipe knows: how many layers a model has of its own is not known before it is there. */
function nothingLearns(model: Recipe['model'], freeze: readonly string[]): boolean {
  const parts = frozenParts(freeze);
  const has = (name: string): boolean => parts.some(({ part }) => part === name);
  if (has('queries') && has('documents')) return true;
  const layers = new Set(
    parts.flatMap((frozen) =>
      frozen.part === 'layers'
        ? Array.from({ length: frozen.last - frozen.first + 1 }, (_, i) => frozen.first + i)
        : [],
    ),
  );
  return has('embeddings') && has('head') && model.layers !== undefined && layers.size >= model.layers;
}
