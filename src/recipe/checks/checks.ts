import { parseMeasure } from '../../evaluate/parse-measure.js';
import { parseEngineAddress } from '../../index/engines/address.js';
import type { EngineAddress } from '../../index/engines/engine.js';
import { engines } from '../../index/engines/kinds.js';
import { modelKinds } from '../../model/kinds.js';
import { indexScorer } from '../../model/representation/kinds.js';
import { AXES, choicesIn } from '../axis-places.js';
import type { Problem } from '../problems.js';
import type { Recipe } from '../recipe.js';
import { stageLosses } from '../stage-loss.js';
import { checkMinedMargin } from './check-mined-margin.js';
import { checkPairReader } from './check-pair-reader.js';
import { checkPrefixes } from './check-prefixes.js';
import { checkStage } from './check-stage.js';
import { checkTeacher } from './check-teacher.js';

/** Finds settings that are fine alone but not together. */
export function checkRecipe(recipe: Recipe): Problem[] {
  const problems = [
    ...checkModel(recipe),
    ...(modelKinds.get(recipe.model.kind).readsPairs ? checkPairReader(recipe) : []),
    ...checkIndex(recipe),
    ...checkIndexOfRows(recipe),
    ...checkEngine(recipe),
    ...checkPrecision(recipe),
    ...checkEvaluation(recipe),
    ...checkMeasureDepth(recipe),
    ...checkStageNames(recipe),
    ...checkKinds(recipe),
    ...checkTeacher(recipe),
    ...checkPrefixes(recipe),
    ...checkMinedMargin(recipe),
    ...recipe.stages.flatMap((_, index) => checkStage(recipe, index)),
  ];
  // What all stages share is told once.
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
}

/** Which precision is faster depends on the machine, and a lockstep run on its recipe, data and seed alone. */
function checkPrecision({ refresh: { mode, precision } }: Recipe): Problem[] {
  if (mode !== 'lockstep' || precision !== 'auto') return [];
  return [
    {
      level: 'error',
      keys: ['refresh', 'precision'],
      message: 'expected fp32 or int8 in lockstep, got auto, which depends on the machine',
      hint: 'name one of the two',
    },
  ];
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
  const noOwn =
    model.init === 'scratch'
      ? 'a new model has'
      : modelKinds.get(model.kind).readsPairs && 'a pair of texts has';
  for (const side of ['query', 'document'] as const) {
    if (noOwn && model.maxLength[side] === 'own') {
      error(`maxLength.${side}`, `expected a number of tokens, as ${noOwn} no length of its own`, 'name one');
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
  if (!modelKinds.get(model.kind).readsPairs && mode === 'max' && model.scorer === 'dot') {
    error(
      'scorer',
      'dot compares with the only row of a document, MaxP has one for each piece',
      'set model.scorer=max, or leave it out',
    );
  }
  if (model.head.layerNorm && model.head.projection === false) {
    error('head.layerNorm', 'a LayerNorm needs a projection before it', 'set model.head.projection');
  }
  return problems;
}

/** What the chosen kinds themselves object to. */
function checkKinds(recipe: Recipe): Problem[] {
  const others = choicesIn(recipe)
    .filter(({ axis }) => axis !== AXES.loss)
    .map(({ kind, value, keys }) => ({ kind, value, at: (field: string) => [...keys, field] }));
  const losses = recipe.stages
    .flatMap((_, index) => stageLosses(recipe, index))
    .map(({ recipe: value, at }) => ({ kind: AXES.loss.registry.find(value.name), value, at }));
  return [...others, ...losses].flatMap(({ kind, value, at }) =>
    (kind?.check?.(value) ?? []).map(({ field, level, message, hint }) => ({
      level,
      keys: field === undefined ? at('').slice(0, -1) : at(field),
      message,
      hint,
    })),
  );
}

/** What is said of an engine goes with one, and an engine is reached by an address of its own. */
function checkEngine({ refresh: { index } }: Recipe): Problem[] {
  const { type, url } = index;
  const engine = engines.find(type);
  const problem = (field: string, message: string, hint: string): Problem[] => [
    { level: 'error', keys: ['refresh', 'index', field], message, hint },
  ];
  if (engine === undefined) {
    const said = (['url', 'exact', 'shards', 'replicas', 'quantization'] as const).find(
      (field) => index[field] !== undefined,
    );
    if (said === undefined) return [];
    return problem(
      said,
      `is said of an engine, got an index of the type ${type}`,
      `set refresh.index.type to ${engines.names.join(' or ')}`,
    );
  }
  if (addressOf(url)?.engine !== type || addressOf(url)?.name === undefined) {
    return problem(
      'url',
      `expected an address of ${type} with a name at its end, got ${url ?? 'nothing'}`,
      `for example refresh.index.url=${engine.example}`,
    );
  }
  if (index.storage === 'i8') {
    return problem(
      'storage',
      'expected f32 or f16 for an engine, got i8',
      'set refresh.index.quantization=int8',
    );
  }
  if (index.dimensions !== undefined) {
    return problem(
      'dimensions',
      `expected whole vectors for an engine, got their first ${index.dimensions} numbers`,
      'leave it out, or train shorter vectors: model.head.projection',
    );
  }
  return [];
}

function addressOf(url: string | undefined): EngineAddress | undefined {
  try {
    return url === undefined ? undefined : parseEngineAddress(url);
  } catch {
    return undefined;
  }
}

function checkIndex({ refresh: { index } }: Recipe): Problem[] {
  const { type, storage, lists, probes } = index;
  const problems: Problem[] = [];
  const refuse = (field: string, message: string, hint: string): void => {
    problems.push({ level: 'error', keys: ['refresh', 'index', field], message, hint });
  };
  if (type !== 'hnsw' && storage === 'i8') {
    const why = type === 'flat' ? 'a flat index, which is exact' : `the whole vectors of ${type}`;
    refuse(
      'storage',
      `expected f32 or f16 for ${why}, got i8`,
      'set refresh.index.storage=f16, or refresh.index.type=int8',
    );
  }
  const isCoded = type === 'int8' || type === 'binary';
  for (const field of ['lists', 'probes', 'rescore'] as const) {
    if (isCoded || index[field] === undefined) continue;
    refuse(
      field,
      `only int8 and binary have ${field}, ${type} has none`,
      `leave it out, or set refresh.index.type=binary`,
    );
  }
  if (isCoded && lists !== undefined && probes !== undefined && probes > lists) {
    refuse('probes', `expected at most as many as lists, ${lists}, got ${probes}`, 'look into fewer lists');
  }
  return problems;
}

/** Where several rows of a query are compared, every document is, or an index of tokens finds it: no graph, no codes of single vectors. */
function checkIndexOfRows({ model, refresh: { index } }: Recipe): Problem[] {
  const { pooling } = model.head;
  const scorer = pooling === undefined ? undefined : indexScorer({ pooling });
  if (scorer !== 'max-sim' && scorer !== 'poly') return [];
  const problems: Problem[] = [];
  const refuse = (field: string, message: string, hint: string): void => {
    problems.push({ level: 'error', keys: ['refresh', 'index', field], message, hint });
  };
  if (['hnsw', 'int8', 'binary'].includes(index.type)) {
    const bits = scorer === 'max-sim' ? '; refresh.index.bits says how rows are kept' : '';
    refuse(
      'type',
      `expected flat, as ${pooling} makes several rows of a query, got ${index.type}`,
      `leave it out${bits}`,
    );
  }
  if (index.dimensions !== undefined) {
    refuse(
      'dimensions',
      `rows that ${scorer} compares are kept whole, got ${index.dimensions}`,
      'leave it out; model.head.projection makes rows shorter',
    );
  }
  return problems;
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
