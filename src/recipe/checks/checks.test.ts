import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { recipeFolder } from '../recipe-files.fixture.js';

const { load, failure } = recipeFolder();

/** A recipe with one stage, its negatives given. */
function stage(negatives: string, more = ''): string {
  return `stages:\n  - name: a\n    steps: 300\n    negatives: [${negatives}]\n${more}`;
}

/** A module that registers examples which are no training queries. */
const AXES_EXAMPLE = resolve(import.meta.dirname, '../../../examples/axes/examples.js');

const ANN = stage('{source: ann}');

const GUIDE = 'teacher: {name: encoder, model: minilm}\n';

const TAUGHT = 'teacher: {name: stored, file: scores.run}\n';

/** A cross-encoder with one source of negatives. */
const cross = (source: string, more = ''): string =>
  `${stage(`{source: ${source}}`)}model: {kind: cross${more}}\nloss: {name: nll, temperature: 1}\n`;

describe('models that write', () => {
  const stage = (task: string): string => `stages: [{name: a, steps: 2${task}}]`;
  test.each([
    [
      `model: {kind: seq2seq}\n${stage(', negatives: [{source: random}]')}\nloss: {name: nll, temperature: 1}`,
      'a query generator cannot learn the task retrieval',
    ],
    [stage(', task: generate'), 'a dual encoder cannot learn the task generate'],
    [stage(', task: term-weights'), 'a dual encoder cannot learn the task term-weights'],
    [
      `model: {kind: seq2seq, towers: two}\n${stage(', task: generate')}`,
      'model.towers: a query generator is one model, got two',
    ],
  ])('%#', async (yaml, message) => {
    expect((await failure(yaml)).message).toContain(message);
  });
});

describe('texts that are rebuilt from their vectors', () => {
  const stage = 'stages: [{name: a, steps: 2, task: retromae}]';
  test.each([
    [
      `model: {head: {pooling: tokens}}\n${stage}`,
      'stages.a.task: retromae is for one vector a text that its states are summed to, got tokens',
    ],
    [
      `model: {towers: two}\n${stage}`,
      'retromae is for one encoder, and queries and documents have one each',
    ],
    [`model: {kind: cross}\n${stage}`, 'a cross-encoder makes no vectors to rebuild texts from'],
  ])('%#', async (yaml, message) => {
    expect((await failure(yaml)).message).toContain(message);
  });

  test('by the mean or the first state', async () => {
    await load(`model: {head: {pooling: first}}\n${stage}`);
  });
});

test('a margin is for the stage that mines, which knows the positives', async () => {
  const stages = (mine: string, source: string): string =>
    `stages:\n  - {name: m, make: {name: mine${mine}}}\n  - {name: a, steps: 2, negatives: [{source: static, file: 'stage:m'${source}}]}\nloss: {name: nll}`;
  const { message, hint } = await failure(stages('', ', relativeMargin: 0.9'));
  expect(message).toContain(
    'what stage m mines has no positives any more for relativeMargin to compare with',
  );
  expect(hint ?? message).toContain('make: {name: mine, relativeMargin: …}');
  await load(stages(', relativeMargin: 0.9', ''));
});

describe('what a cross-encoder cannot do', () => {
  test.each([
    [
      cross('in-batch'),
      'my.yaml:4: stages.a.negatives.0.source: a cross-encoder would have to read every query with every document of the batch, got in-batch',
    ],
    [
      cross('hardest-in-batch'),
      'my.yaml:4: stages.a.negatives.0.source: a cross-encoder would have to read every query with every document of the batch, got hardest-in-batch',
    ],
    [
      cross('ann'),
      'my.yaml:4: stages.a.negatives.0.source: a cross-encoder makes no vectors to search, got ann',
    ],
    [cross('bm25', ', towers: two'), 'my.yaml:5: model.towers: a cross-encoder is one model, got two'],
    [
      cross('bm25', ', passages: {mode: max, pieces: 2}'),
      "my.yaml:5: model.passages.mode: a cross-encoder reads a document's first tokens, got max",
    ],
    [
      cross('bm25', ', head: {pooling: mean}'),
      'my.yaml:5: model.head.pooling: a cross-encoder makes no vectors, so it has no such head',
    ],
    [
      `${cross('bm25')}batch: {cacheTokens: 9}`,
      'my.yaml:7: batch.cacheTokens: gradient caching is for losses over a whole batch, which a cross-encoder does not have',
    ],
    [cross('bm25', ', scorer: max'), 'my.yaml:5: model.scorer: a cross-encoder scores by itself, got max'],
    [
      cross('bm25').replace('nll', 'infonce'),
      'my.yaml:6: loss.name: a cross-encoder has no scores for the other documents of the batch, which infonce compares with',
    ],
  ])('%#', async (yaml, message) => {
    expect(await failure(yaml)).toMatchObject({ message, hint: expect.stringMatching(/./) });
  });

  test('temperatures for cosines are warned of, those for logits are not', async () => {
    expect((await load(cross('bm25'))).warnings).toEqual([]);
    const { warnings } = await load(cross('bm25').replace('temperature: 1', 'temperature: 0.05'));
    expect(warnings).toEqual([
      expect.stringContaining('scores of a cross-encoder over a temperature of 0.05 grow very large'),
    ]);
  });
});

describe('what cannot be trained', () => {
  test.each([
    [stage('{source: static}'), 'my.yaml:4: stages.a.negatives.0.file: expected a path, got nothing'],
    [
      stage('{source: in-batch, count: 3}'),
      'my.yaml:4: stages.a.negatives.0.count: in-batch has no count, got a number (3)',
    ],
    [
      stage('{source: random, depth: 9}'),
      'my.yaml:4: stages.a.negatives.0.depth: random has no depth, got a number (9)',
    ],
    [
      stage('{source: random, margin: 0}'),
      'my.yaml:4: stages.a.negatives.0.margin: random has no margin, got a number (0)',
    ],
    [
      stage('{source: random, dropAnswers: true}'),
      'my.yaml:4: stages.a.negatives.0.dropAnswers: random has no dropAnswers, got a boolean (true)',
    ],
    [
      stage('{source: in-batch, keepDuplicates: true}'),
      'my.yaml:4: stages.a.negatives.0.keepDuplicates: in-batch has no keepDuplicates, got a boolean (true)',
    ],
    [
      stage('{source: bm25, file: x}'),
      'my.yaml:4: stages.a.negatives.0.file: bm25 has no file, got the text "x"',
    ],
    [
      stage('{source: bm25, count: 0}'),
      'my.yaml:4: stages.a.negatives.0.count: expected a whole number from 1, got a number (0)',
    ],
    [
      stage('{source: ann, count: 5, depth: 4}'),
      'my.yaml:4: stages.a.negatives.0.depth: expected room for 5 negatives in the first 4',
    ],
    [
      stage('{source: ann, skipRanks: 10, depth: 10}'),
      'my.yaml:4: stages.a.negatives.0.depth: expected room for 1 negatives between rank 10 and 10',
    ],
    [
      stage('{source: hardest-in-batch}'),
      'my.yaml:4: stages.a.negatives: infonce compares with the whole batch, hardest-in-batch with one document of it',
    ],
    [
      stage('{source: hardest-in-batch}, {source: in-batch}', 'loss: {name: nll}'),
      'my.yaml:4: stages.a.negatives: in-batch already has the document that hardest-in-batch picks',
    ],
    [
      stage('{source: ann}, {source: ann, depth: 20}'),
      'my.yaml:4: stages.a.negatives: expected ann once, got it twice',
    ],
    [
      stage('{source: in-batch}', 'batch: {queries: 1}'),
      'my.yaml:4: stages.a.negatives: a batch of one query has no other document',
    ],
    [
      `${ANN}model: {passages: {mode: max}}`,
      'my.yaml:5: model.passages.pieces: expected 2 or more pieces for MaxP, got 1',
    ],
    [
      `${ANN}model: {heads: 4}`,
      'my.yaml:5: model.heads: only init: scratch has a size to choose; minilm has its own',
    ],
    [
      `${ANN}model: {head: {layerNorm: true, projection: false}}`,
      'my.yaml:5: model.head.layerNorm: a LayerNorm needs a projection before it',
    ],
    [
      `${ANN}evaluation: {best: AP}`,
      'my.yaml:5: evaluation.best: expected one of the measures (RR@10, nDCG@10, R@100), got AP',
    ],
    [
      `${ANN}refresh: {index: {type: qdrant, url: "qdrant://a/docs", dimensions: 64}}`,
      'my.yaml:5: refresh.index.dimensions: expected whole vectors for an engine, got their first 64 numbers',
    ],
    [
      `${ANN}refresh: {index: {storage: i8}}`,
      'my.yaml:5: refresh.index.storage: expected f32 or f16 for a flat index, which is exact, got i8',
    ],
    ...['R@1000', 'recall_1000', 'RR(rel=2)@1000'].map((measure) => [
      `${ANN}evaluation:\n  measures: [RR@10, ${measure}]`,
      `my.yaml:6: evaluation.measures.1: expected a measure of the first 100 ranks, which is evaluation.depth, got ${measure}`,
    ]),
    [
      `${ANN}loss: {name: hinge, margin: 41}`,
      'my.yaml:5: loss.margin: expected at most 40, as cosines over a temperature of 0.05 differ by no more, got 41',
    ],
    [
      `${ANN}model: {passages: {mode: max, pieces: 2}, scorer: dot}`,
      'my.yaml:5: model.scorer: dot compares with the only row of a document, MaxP has one for each piece',
    ],
    [`${ANN}loss: margin-mse`, 'my.yaml:5: loss.name: margin-mse learns from a teacher, and there is none'],
    [
      `${ANN}loss: [{name: infonce}, {name: margin-mse}]`,
      'my.yaml:5: loss.1.name: margin-mse learns from a teacher, and there is none',
    ],
    [
      `teacher: {name: stored, file: x}\n${stage('{source: ann}', '    loss: margin-mse\n    teacher: none')}`,
      'my.yaml:6: stages.a.loss.name: margin-mse learns from a teacher, and there is none',
    ],
    [
      `${ANN}loss: [{name: infonce}, {name: kl, teacher: none}]`,
      'my.yaml:5: loss.1.teacher.name: kl learns from a teacher, and none is named here',
    ],
    [
      `${ANN}loss: {name: kl, teacher: {name: joint, model: x}}`,
      'my.yaml:5: loss.teacher.name: joint learns with the student, and teaches a whole stage',
    ],
    [
      `${stage('{source: random}')}examples: {name: pseudo-labelled, file: x}\nloss: {name: kl, teacher: {name: stored, file: y}}`,
      'my.yaml:6: loss.teacher.name: stored is for training queries, and pseudo-labelled makes examples of its own',
    ],
    [
      `${ANN}loss: embedding-mse`,
      'my.yaml:5: loss.name: embedding-mse learns from a teacher, and there is none',
    ],
    [
      `${ANN}${TAUGHT}loss: embedding-mse`,
      'my.yaml:6: loss.name: embedding-mse learns vectors, and the teacher stored has none',
    ],
    [
      `${ANN}model: {passages: {mode: max, pieces: 2}, scorer: max}\n${GUIDE}loss: embedding-mse`,
      'my.yaml:7: loss.name: embedding-mse learns one vector of each text, and this model makes several',
    ],
    [
      `${ANN}model: {head: {pooling: tokens}, scorer: max-sim}\n${GUIDE}loss: embedding-mse`,
      'my.yaml:7: loss.name: embedding-mse learns one vector of each text, and this model makes several',
    ],
    [
      `${ANN}model: {head: {pooling: tokens}, scorer: max-sim}\nloss: matryoshka`,
      'my.yaml:6: loss.name: matryoshka learns one vector of each text, and this model makes several',
    ],
    [
      `${ANN}model: {head: {pooling: tokens}}\nrefresh: {index: {type: hnsw}}`,
      'my.yaml:6: refresh.index.type: expected flat, as tokens makes several rows of a query, got hnsw',
    ],
    [
      `${ANN}model: {head: {pooling: codes}}\nrefresh: {index: {type: int8}}`,
      'my.yaml:6: refresh.index.type: expected flat, as codes makes several rows of a query, got int8',
    ],
    [
      `${ANN}model: {head: {pooling: tokens}}\nrefresh: {index: {dimensions: 64}}`,
      'my.yaml:6: refresh.index.dimensions: rows that max-sim compares are kept whole, got 64',
    ],
    [
      `${ANN}batch: {guideMargin: 0}`,
      'my.yaml:5: batch.guideMargin: a teacher guides what counts as a negative, and there is none',
    ],
    [
      `${stage('{source: random}', '    freeze: [documents]')}\nmodel: {towers: two}\nteacher: {name: joint, model: x}\nloss: kl`,
      'my.yaml:5: stages.a.freeze: the teacher joint reads the texts of batches, and frozen documents come as vectors',
    ],
    [
      `${stage('{source: random}')}examples: {name: pseudo-labelled, file: x}\n${TAUGHT}loss: kl`,
      'my.yaml:6: teacher.name: stored is for training queries, and pseudo-labelled makes examples of its own',
    ],
    [
      stage('{source: in-batch}', 'loss: lambda'),
      "my.yaml:4: stages.a.negatives: lambda compares a query's own negatives, and no source draws any",
    ],
    [
      stage('{source: hardest-in-batch}', 'loss: [{name: infonce}, {name: infonce, temperature: 0.1}]'),
      'my.yaml:4: stages.a.negatives: infonce compares with the whole batch, hardest-in-batch with one document of it',
    ],
    [
      stage('{source: searched}'),
      'my.yaml:4: stages.a.negatives.0.source: searched searches vectors of documents that must not change, and one tower learns both sides',
    ],
    [
      stage('{source: searched}', 'model: {towers: two}'),
      'my.yaml:4: stages.a.negatives.0.source: searched searches vectors of documents that must not change',
    ],
    [
      `use: [${AXES_EXAMPLE}]\nexamples: beginnings\n${stage('{source: random}, {source: bm25}')}`,
      'my.yaml:6: stages.a.negatives.1.source: bm25 is for training queries, and beginnings makes examples of its own',
    ],
    [
      stage('{source: ann}', '    freeze: [queries]'),
      'my.yaml:5: stages.a.freeze.0: one encoder reads queries and documents, so queries cannot stay as they are alone',
    ],
    [
      stage('{source: ann}', '    freeze: [embeddings, layers.0-3]\nmodel: {layers: 3}'),
      'my.yaml:5: stages.a.freeze.1: expected layers from 0 to 2, got layers.0-3',
    ],
    [
      stage('{source: ann}', '    freeze: [encoder]'),
      'my.yaml:5: stages.a.freeze.0: only a model that writes has an encoder beside something else that learns',
    ],
    [
      stage('', '    task: generate\n    freeze: [head]\nmodel: {kind: seq2seq}'),
      'my.yaml:6: stages.a.freeze.0: expected encoder for a model that writes, got head',
    ],
    [
      stage('{source: ann}', '    freeze: [embeddings, layers.0-1, layers.2, head]\nmodel: {layers: 3}'),
      'my.yaml:5: stages.a.freeze: everything is frozen, so that nothing can be learned',
    ],
    [
      stage('{source: ann}', '    freeze: [queries, documents]\nmodel: {towers: two}'),
      'my.yaml:5: stages.a.freeze: everything is frozen, so that nothing can be learned',
    ],
    ...['layers', 'layers.2-1', 'layer.0', 'query'].map((part) => [
      stage('{source: ann}', `    freeze: [embeddings, ${part}]`),
      `my.yaml:5: stages.a.freeze.1: expected queries, documents, encoder, embeddings, head, layers.N or layers.N-M, got the text "${part}"`,
    ]),
    [
      stage('{source: ann}', '    loss: {margin: 41}\nloss: {name: hinge, margin: 3}'),
      'my.yaml:5: stages.a.loss.margin: expected at most 40, as cosines over a temperature of 0.05 differ by no more, got 41',
    ],
    [
      `${ANN}  - {name: a, steps: 1, negatives: [{source: bm25}]}`,
      'my.yaml:5: stages.1.name: expected another name than the stages before, got a',
    ],
    [
      `${ANN}model: {init: scratch, layers: 1, vocabularySize: 500, hiddenSize: 10, heads: 3}`,
      'my.yaml:5: model.heads: expected a divisor of hiddenSize (10), got 3',
    ],
  ])('%#', async (yaml, message) => {
    expect((await failure(yaml)).message).toBe(message);
  });

  test('SimCSE without dropout', async () => {
    const simcse = stage('{source: in-batch}', 'examples: same-text\nmodel: {dropout: 0}\n');
    expect((await failure(simcse)).message).toBe(
      'my.yaml:6: model.dropout: expected a number above 0, as same-text learns from what dropout changes, got 0',
    );
  });

  test('scratch without its sizes', async () => {
    expect((await failure(`${ANN}model: {init: scratch, layers: 2}`)).message).toBe(
      [
        'my.yaml: 3 problems',
        ...['hiddenSize', 'heads', 'vocabularySize'].map(
          (size) =>
            `  my.yaml:5: model.${size}: expected a size, as init is scratch, got nothing (set model.${size})`,
        ),
      ].join('\n'),
    );
  });
});

describe('what is hardly meant', () => {
  test.each([
    [
      `${ANN}checkpoint: {every: 300}`,
      /stages\.a\.steps: a checkpoint every 300 steps never refreshes .* \(lower checkpoint\.every\)$/,
    ],
    [`${ANN}optimizer: {warmupSteps: 300}`, /still warming up \(300 steps\) when the stage ends after 300/],
    [`${ANN}evaluation: {split: test}`, /evaluation\.split: the best checkpoint is chosen on the test split/],
    [`${ANN}model: {passages: {pieces: 4}}`, /model\.passages\.pieces: FirstP reads one piece/],
    [`${ANN}loss: {temperature: 1}`, /too close together to learn well/],
    [`${ANN}teacher: {name: stored, file: x}`, /my\.yaml:5: teacher: no loss learns from the teacher stored/],
    [
      stage('{source: ann}', '    teacher: {name: stored, file: x}'),
      /stages\.a\.teacher: no loss learns from the teacher stored/,
    ],
    [
      `${ANN}loss: {name: infonce, teacher: {name: stored, file: x}}`,
      /my\.yaml:5: loss\.teacher: no loss learns from the teacher stored/,
    ],
    [
      `${ANN}${TAUGHT}loss: {name: kl, teacher: {name: encoder, model: minilm}}`,
      /my\.yaml:5: teacher: no loss learns from the teacher stored/,
    ],
    [`${ANN}model: {head: {normalize: false}}`, /grow very large/],
    [
      `${ANN}model: {init: scratch, layers: 1, vocabularySize: 500, hiddenSize: 8, heads: 2}`,
      /random weights/,
    ],
  ])('%#', async (yaml, warning) => {
    const { warnings } = await load(yaml);
    expect(warnings).toEqual([expect.stringMatching(warning)]);
  });
});

test.each([
  ['hinge within reach', `${ANN}loss: {name: hinge, margin: 40}`],
  ['lamb', `${ANN}optimizer: {name: lamb}`],
  ['an 8-bit graph', `${ANN}refresh: {index: {type: hnsw, storage: i8}}`],
  ['rankings as deep as measures look', `${ANN}evaluation: {measures: [R@1000], depth: 1000}`],
  ['measures without a last rank', `${ANN}evaluation: {measures: [AP, IPrec@0.1, Rprec], depth: 1}`],
  ['a batch of one with sampled negatives', `${stage('{source: bm25}', 'batch: {queries: 1}')}`],
  [
    'hardest in batch among sampled ones',
    stage('{source: hardest-in-batch}, {source: ann}', 'loss: {name: nll}'),
  ],
  ['a guide that nothing else is learned from', `${ANN}${GUIDE}batch: {guideMargin: 0.5}`],
  ['cosines as far apart as a teacher has them', `${ANN}${TAUGHT}loss: {name: margin-mse, temperature: 1}`],
  ['a loss with a teacher beside one without', `${ANN}${TAUGHT}loss: [{name: infonce}, {name: margin-mse}]`],
  [
    'a teacher for each of two losses',
    `${ANN}${TAUGHT}loss: [{name: margin-mse}, {name: margin-mse-in-batch, teacher: {name: encoder, model: minilm}}]`,
  ],
  ["a loss's teacher and no other", `${ANN}loss: {name: kl, teacher: {name: encoder, model: minilm}}`],
  [
    "a teacher for one stage's loss",
    `${ANN}  - {name: b, steps: 200, negatives: [bm25], loss: margin-mse}\n${TAUGHT}loss: nll`,
  ],
  [
    'the hardest in the batch for one loss, all of it for another',
    stage('{source: hardest-in-batch}', 'loss: [{name: infonce}, {name: nll}]'),
  ],
  [
    'searching documents that stay as they are',
    stage('{source: searched}', '    freeze: [documents]\nmodel: {towers: two}\nloss: lambda'),
  ],
  ['frozen layers', stage('{source: ann}', '    freeze: [embeddings, layers.0-1, head]\nmodel: {layers: 3}')],
  ['two files', stage('{source: static, file: a}, {source: static, file: b}')],
  ['infonce over sampled negatives', stage('{source: random, count: 4}')],
])('fine: %s', async (_, yaml) => {
  expect((await load(yaml)).warnings).toEqual([]);
});

test('which precision is faster is no matter of a lockstep run', async () => {
  expect((await failure(`${ANN}refresh: {mode: lockstep, precision: auto}\n`)).message).toContain(
    'my.yaml:5: refresh.precision: expected fp32 or int8 in lockstep, got auto, which depends on the machine',
  );
  expect((await load(`${ANN}refresh: {mode: lockstep, precision: int8}\n`)).recipe.refresh.precision).toBe(
    'int8',
  );
});
