import { parseMeasure } from '../evaluate/parse-measure.js';
import { checkCross } from './check-cross.js';
import { checkSource } from './check-source.js';
import type { Keys } from './origin-tree.js';
import type { Problem } from './problems.js';
import type { LossRecipe, Recipe, StageRecipe } from './recipe.js';

/** Finds settings that are fine alone but not together. */
export function checkRecipe(recipe: Recipe): Problem[] {
  const problems = [
    ...checkModel(recipe),
    ...(recipe.model.kind === 'cross' ? checkCross(recipe) : []),
    ...checkIndex(recipe),
    ...checkEvaluation(recipe),
    ...checkMeasureDepth(recipe),
    ...checkStageNames(recipe),
    ...recipe.stages.flatMap((stage, index) => checkStage(recipe, stage, ['stages', index])),
  ];
  // What all stages share is told once.
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
}

function checkModel({ model }: Recipe): Problem[] {
  const problems: Problem[] = [];
  const error = (field: string, message: string, hint: string): number =>
    problems.push({ level: 'error', keys: ['model', ...field.split('.')], message, hint });
  const sizes = ['hiddenSize', 'heads', 'vocabularySize'] as const;
  if (model.init === 'scratch') {
    for (const size of ['layers', ...sizes] as const) {
      if (model[size] === undefined) {
        error(size, 'expected a size, as init is scratch, got nothing', `set model.${size}`);
      }
    }
    const { hiddenSize, heads } = model;
    if (hiddenSize !== undefined && heads !== undefined && hiddenSize % heads !== 0) {
      error('heads', `expected a divisor of hiddenSize (${hiddenSize}), got ${heads}`, 'choose another');
    }
  } else {
    for (const size of sizes.filter((name) => model[name] !== undefined)) {
      error(
        size,
        `only init: scratch has a size to choose; ${model.init} has its own`,
        `leave out model.${size}, or set model.init=scratch`,
      );
    }
  }
  const { mode, pieces } = model.passages;
  if (mode === 'max' && pieces === 1) {
    error('passages.pieces', 'expected 2 or more pieces for MaxP, got 1', 'the paper takes 4');
  }
  if (mode === 'first' && pieces > 1) {
    problems.push({
      level: 'warning',
      keys: ['model', 'passages', 'pieces'],
      message: `FirstP reads one piece of a document; ${pieces} pieces have no effect`,
      hint: 'set model.passages.mode=max',
    });
  }
  if (model.head.layerNorm && model.head.projection === false) {
    error('head.layerNorm', 'a LayerNorm needs a projection before it', 'set model.head.projection');
  }
  return problems;
}

function checkIndex({ refresh: { index } }: Recipe): Problem[] {
  if (index.type !== 'flat' || index.storage !== 'i8') return [];
  return [
    {
      level: 'error',
      keys: ['refresh', 'index', 'storage'],
      message: 'expected f32 or f16 for a flat index, which is exact, got i8',
      hint: 'set refresh.index.storage=f16, or refresh.index.type=hnsw',
    },
  ];
}

/** A measure that looks deeper than rankings go would be another measure under its name. */
function checkMeasureDepth({ evaluation: { measures, depth } }: Recipe): Problem[] {
  return measures.flatMap((name, index): Problem[] => {
    const { cutoff = 0 } = parseMeasure(name);
    if (cutoff <= depth) return [];
    return [
      {
        level: 'error',
        keys: ['evaluation', 'measures', index],
        message: `expected a measure of the first ${depth} ranks, which is evaluation.depth, got ${name}`,
        hint: `set evaluation.depth=${cutoff}, or choose another measure`,
      },
    ];
  });
}

function checkEvaluation({ evaluation: { best, measures, split } }: Recipe): Problem[] {
  const problems: Problem[] = [];
  if (!measures.includes(best)) {
    problems.push({
      level: 'error',
      keys: ['evaluation', 'best'],
      message: `expected one of the measures (${measures.join(', ')}), got ${best}`,
      hint: `add ${best} to evaluation.measures, or choose one of them`,
    });
  }
  if (split === 'test') {
    problems.push({
      level: 'warning',
      keys: ['evaluation', 'split'],
      message: 'the best checkpoint is chosen on the test split, which makes its test figures too good',
      hint: 'split off a dev set: nearmiss data split',
    });
  }
  return problems;
}

function checkStageNames({ stages }: Recipe): Problem[] {
  const names = stages.map(({ name }) => name);
  return stages.flatMap(({ name }, index): Problem[] =>
    names.indexOf(name) === index
      ? []
      : [
          {
            level: 'error',
            keys: ['stages', index, 'name'],
            message: `expected another name than the stages before, got ${name}`,
            hint: 'every stage needs its own',
          },
        ],
  );
}

function checkStage(recipe: Recipe, stage: StageRecipe, keys: Keys): Problem[] {
  const loss = { ...recipe.loss, ...stage.loss };
  const optimizer = { ...recipe.optimizer, ...stage.optimizer };
  const problems = [
    ...checkMixture(recipe, stage, loss, keys),
    ...(recipe.model.kind === 'dual' ? checkScale(recipe, stage, keys) : []),
    ...stage.negatives.flatMap((source, index) => checkSource(source, [...keys, 'negatives', index])),
  ];
  const warn = (field: string, message: string, hint: string): number =>
    problems.push({ level: 'warning', keys: [...keys, field], message, hint });
  const first = keys[1] === 0;
  if (optimizer.warmupSteps >= stage.steps) {
    warn(
      'steps',
      `the learning rate is still warming up (${optimizer.warmupSteps} steps) when the stage ends after ${stage.steps}`,
      'shorten optimizer.warmupSteps',
    );
  }
  if (stage.negatives.some(({ source }) => source === 'ann')) {
    if (recipe.checkpoint.every >= stage.steps) {
      warn(
        'steps',
        `a checkpoint every ${recipe.checkpoint.every} steps never refreshes the negatives of a stage of ${stage.steps}`,
        'lower checkpoint.every',
      );
    }
    if (first && recipe.model.init === 'scratch') {
      warn(
        'negatives',
        'the first negatives are mined by an encoder with random weights',
        'put a BM25 stage first',
      );
    }
  }
  return problems;
}

function checkMixture(recipe: Recipe, stage: StageRecipe, loss: LossRecipe, keys: Keys): Problem[] {
  const problems: Problem[] = [];
  const sources = stage.negatives.map(({ source }) => source);
  const error = (field: string, message: string, hint: string): number =>
    problems.push({ level: 'error', keys: [...keys, field], message, hint });
  if (sources.includes('hardest-in-batch')) {
    if (sources.includes('in-batch')) {
      error(
        'negatives',
        'in-batch already has the document that hardest-in-batch picks',
        'keep one of the two',
      );
    }
    if (loss.name === 'infonce') {
      error(
        'negatives',
        'infonce compares with the whole batch, hardest-in-batch with one document of it',
        'set the loss to nll, or the source to in-batch',
      );
    }
  }
  sources.forEach((source, index) => {
    if (source !== 'static' && sources.indexOf(source) !== index) {
      error('negatives', `expected ${source} once, got it twice`, 'raise its count instead');
    }
  });
  const queries = { ...recipe.batch, ...stage.batch }.queries;
  if (queries === 1 && sources.every((source) => source.endsWith('in-batch'))) {
    error('negatives', 'a batch of one query has no other document', 'raise batch.queries, or add a source');
  }
  return problems;
}

/** Cosines lie between −1 and 1, which decides what temperatures and margins can do. */
function checkScale({ model, loss }: Recipe, stage: StageRecipe, keys: Keys): Problem[] {
  const problems: Problem[] = [];
  const at = (field: 'margin' | 'temperature'): Keys => [
    ...(stage.loss?.[field] === undefined ? [] : keys),
    'loss',
    field,
  ];
  const cosine = model.head.normalize ?? (model.init === 'minilm' || model.init === 'scratch');
  const { name, temperature, margin } = { ...loss, ...stage.loss };
  if (cosine && name === 'hinge' && margin > 2 / temperature) {
    problems.push({
      level: 'error',
      keys: at('margin'),
      message: `expected at most ${2 / temperature}, as cosines over a temperature of ${temperature} differ by no more, got ${margin}`,
      hint: 'lower loss.margin or loss.temperature',
    });
  }
  if (cosine && name !== 'hinge' && temperature >= 0.5) {
    problems.push({
      level: 'warning',
      keys: at('temperature'),
      message: `cosines over a temperature of ${temperature} are too close together to learn well`,
      hint: 'usual are .01 to .1, or model.head.normalize=false with 1',
    });
  }
  if (model.head.normalize === false && temperature < 0.5) {
    problems.push({
      level: 'warning',
      keys: at('temperature'),
      message: `dot products of vectors of any length over a temperature of ${temperature} grow very large`,
      hint: 'usual is 1 with model.head.normalize=false',
    });
  }
  return problems;
}
