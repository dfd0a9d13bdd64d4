import { z } from 'zod';
import { between, list, mapping, measure, oneOf, positive, section, text, truth, whole } from './kinds.js';

const loss = {
  name: oneOf('nll', 'infonce', 'bce', 'hinge', 'ranknet').describe(
    "how scores become a loss; `infonce` compares with every document of the batch, the others with a query's own negatives",
  ),
  temperature: positive().describe('scores are divided by this: about .05 for cosines, 1 for dot products'),
  margin: positive().describe('how far a positive must lead (`hinge` only), in scores after the temperature'),
};

const optimizer = {
  name: oneOf('adamw', 'lamb').describe('the optimizer'),
  learningRate: positive().describe('the peak, reached after the warm-up'),
  weightDecay: between(0, 1, { open: 'most' }).describe('decay of weights, apart from the gradient'),
  beta1: between(0, 1, { open: 'most' }).describe('decay of the first moment'),
  beta2: between(0, 1, { open: 'most' }).describe('decay of the second moment'),
  epsilon: positive().describe('added to the denominator'),
  clip: positive().describe('largest global gradient norm'),
  warmupSteps: whole(0).describe('steps of each stage over which the rate rises linearly'),
  decay: oneOf('linear', 'cosine', 'none').describe('how the rate falls after the warm-up'),
};

const batch = {
  queries: whole(1).describe('queries in a batch'),
  accumulate: whole(1).describe('batches whose gradients are added up for one update'),
  cacheTokens: whole(0).describe(
    'gradient caching in chunks of this many tokens, for batches that do not fit memory; 0 for all at once',
  ),
};

/** Sources that rank documents, and how deep they are sampled by default (the paper's 200). */
const RANKED_DEPTH: Record<string, number> = { bm25: 200, ann: 200, static: 200 };

const negatives = mapping({
  source: oneOf('in-batch', 'hardest-in-batch', 'random', 'bm25', 'ann', 'static').describe(
    '`in-batch`: every other document of the batch; `hardest-in-batch`: the best scored of those (NCE); `random`: anywhere in the corpus; `bm25`, `ann`: near the top of a ranking; `static`: from a file',
  ),
  count: whole(0)
    .optional()
    .describe('negatives for each query and step; 1, and 0 for the in-batch sources, unless given'),
  depth: whole(0)
    .optional()
    .describe('how deep in the ranking to sample; 200 for `bm25`, `ann` and `static`, else 0, unless given'),
  sampling: oneOf('uniform', 'weighted')
    .default('uniform')
    .describe('over the depth, or more often near the top (by 1/rank)'),
  skipRanks: whole(0).default(0).describe('leaves out the first ranks, which may be unlabelled positives'),
  margin: between(0, Number.POSITIVE_INFINITY)
    .optional()
    .describe("drops candidates that score above the positive's score minus this"),
  relativeMargin: between(0, 1, { open: 'least' })
    .optional()
    .describe("drops candidates that score above this share of the positive's score"),
  dropAnswers: truth()
    .default(false)
    .describe('drops candidates that contain an answer string of the query (OpenQA)'),
  keepDuplicates: truth()
    .default(false)
    .describe("keeps candidates with a positive's text under another id, which are dropped otherwise"),
  file: text('a path')
    .optional()
    .describe(
      'for `static`: a TREC run, a training file or a folder that `nearmiss mine` made, from where the command runs',
    ),
}).transform(({ source, count, depth, ...rest }) => ({
  source,
  count: count ?? (source.endsWith('in-batch') ? 0 : 1),
  depth: depth ?? RANKED_DEPTH[source] ?? 0,
  ...rest,
}));

const stage = mapping({
  name: text('a name of letters, digits, - and _')
    .regex(/^[A-Za-z][\w-]*$/, { error: 'a name of letters, digits, - and _, a letter first' })
    .describe('what `--set stages.NAME…`, events and the live view call it'),
  steps: whole(1).describe('updates of the weights'),
  negatives: list(negatives, 'a list of sources').describe('where negatives come from; several are mixed'),
  loss: mapping(loss).partial().optional().describe("replaces parts of the recipe's loss"),
  optimizer: mapping(optimizer).partial().optional().describe("replaces parts of the recipe's optimizer"),
  batch: mapping(batch).partial().optional().describe("replaces parts of the recipe's batch"),
});

const head = mapping({
  pooling: oneOf('first', 'mean').optional().describe("the first token's state, or the mean of all"),
  projection: z
    .union([z.int().min(1), z.literal(false)], { error: 'a dimension, or false' })
    .meta({ expected: 'a dimension, or false' })
    .optional()
    .describe("a linear layer after pooling; false removes the model's own"),
  layerNorm: truth().optional().describe("ANCE's LayerNorm after the projection"),
  normalize: truth().optional().describe('scale vectors to length 1, so that the dot product is the cosine'),
});

const model = mapping({
  kind: oneOf('dual', 'cross')
    .default('dual')
    .describe(
      '`dual`: queries and documents become vectors, each by itself; `cross`: a query and a document are read together and become a score, to rerank',
    ),
  init: text('minilm, scratch, a folder, an ONNX export or a hub id')
    .default('minilm')
    .describe(
      '`minilm`, `scratch`, a model folder or an ONNX export of a BERT (from where the command runs), or a hub id',
    ),
  layers: whole(1).optional().describe('keep only the first n layers; with `scratch`, how many there are'),
  hiddenSize: whole(1).optional().describe('width, for `scratch`'),
  heads: whole(1).optional().describe('attention heads, for `scratch`'),
  vocabularySize: whole(100).optional().describe('tokens that a new tokenizer learns, for `scratch`'),
  towers: oneOf('shared', 'two')
    .default('shared')
    .describe('one encoder for queries and documents, or one each (DPR)'),
  maxLength: section(
    {
      query: whole(3).describe(
        'tokens kept of a query; a cross-encoder reads `query` + `document` tokens of a pair, and cuts the longer text first',
      ),
      document: whole(3).describe('tokens kept of a document, or of each of its pieces'),
    },
    { query: 32, document: 128 },
  ),
  passages: section(
    {
      mode: oneOf('first', 'max').describe(
        "FirstP reads a document's first tokens; MaxP up to `pieces` pieces, and the best one counts",
      ),
      pieces: whole(1).describe('most pieces of a document (`max`)'),
    },
    { mode: 'first', pieces: 1 },
  ),
  head: head.prefault({}),
  dropout: between(0, 1, { open: 'most' }).optional().describe("replaces the model's own dropout rates"),
});

const evaluation = mapping({
  split: text('the name of a split')
    .default('dev')
    .describe('split with judgments to measure on; never the test split'),
  measures: list(measure(), 'a list of measures')
    .default(['RR@10', 'nDCG@10', 'R@100'])
    .describe('what is measured at each checkpoint'),
  when: oneOf('checkpoints', 'end')
    .default('checkpoints')
    .describe('measure every checkpoint, or only the last one'),
  queries: whole(0).default(0).describe('at most this many queries, always the same; 0 for all'),
  depth: whole(1)
    .default(100)
    .describe(
      "how deep rankings go, and so the deepest a measure may look; for a cross-encoder, how many of BM25's documents it reranks",
    ),
  best: measure()
    .optional()
    .describe('the measure that decides which checkpoint is best; the first of `measures` unless given'),
  patience: whole(0)
    .default(0)
    .describe('stop after this many evaluations without a new best; 0 never stops'),
})
  .prefault({})
  .transform(({ best, patience, ...rest }) => ({ ...rest, best: best ?? rest.measures[0], patience }));

/** What a recipe may say, with the defaults of what it leaves out; see `Recipe` for the meaning. */
export const recipeSchema = mapping({
  name: text().describe("what runs and tables call it; the file's name unless given"),
  description: z
    .string({ error: 'a text' })
    .meta({ expected: 'a text' })
    .default('')
    .describe('what it reproduces and where it comes from, for people'),
  seed: whole(0).default(42).describe('decides everything random'),
  model: model.prefault({}),
  loss: section(loss, { name: 'infonce', temperature: 0.05, margin: 1 }),
  optimizer: section(optimizer, {
    name: 'adamw',
    learningRate: 5e-5,
    weightDecay: 0.01,
    beta1: 0.9,
    beta2: 0.999,
    epsilon: 1e-8,
    clip: 1,
    warmupSteps: 0,
    decay: 'linear',
  }),
  batch: section(batch, { queries: 32, accumulate: 1, cacheTokens: 0 }),
  refresh: mapping({
    mode: oneOf('async', 'lockstep')
      .default('async')
      .describe(
        '`async`: the Trainer goes on with old negatives; `lockstep`: it waits, and a run is a function of its seed',
      ),
    share: between(0, 1, { open: 'least' })
      .default(1)
      .describe('share of the training queries mined anew at each refresh, rotating'),
    index: section(
      {
        type: oneOf('flat', 'hnsw').describe('exact search, or a graph for large corpora'),
        storage: oneOf('f32', 'f16', 'i8').describe('how vectors are kept'),
      },
      { type: 'flat', storage: 'f32' },
    ),
  }).prefault({}),
  evaluation,
  checkpoint: section(
    {
      every: whole(1).describe('steps between checkpoints, and so between refreshes'),
      keep: whole(1).describe('how many of the newest to keep besides the best'),
    },
    { every: 100, keep: 2 },
  ),
  evidence: section(
    {
      every: whole(0).describe(
        'steps between measurements of loss and gradient norms by source of negatives, in stages with several; each takes about one more step for each source; 0 for none',
      ),
    },
    // Under 3 % of a stage with two sources; beside checkpoints every 100 it meets negatives of every age.
    { every: 75 },
  ),
  stages: list(stage, 'a list of stages').describe('what is learned one after the other'),
});
