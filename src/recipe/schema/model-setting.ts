import { z } from 'zod';
import { isObject } from '../../base/is-object.js';
import { between, oneOf, positive, section, text, truth, whole } from '../../base/settings.js';
import { modelKinds } from '../../model/kinds.js';
import { representations } from '../../model/representation/kinds.js';
import { FREQUENCY_DEFAULTS } from '../../model/terms/document-weights.js';
import { LANGUAGES } from '../../text/analyzers/analyzer.js';
import { AXES } from '../axis-places.js';
import type { ModelRecipe } from '../recipe.js';
import { choice, type ReadOptions } from './choice.js';

function length() {
  const expected = 'a whole number from 3, or own';
  return z.union([z.int().min(3), z.literal('own')], { error: expected }).meta({ expected });
}

const BEFORE_SCORER = {
  kind: oneOf(...(modelKinds.names as [string, ...string[]]))
    .default('dual')
    .describe(modelKinds.kinds.map(({ name, description }) => `\`${name}\`: ${description}`).join('; ')),
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
      query: length().describe(
        'tokens kept of a query, or `own` for as many as the model itself reads; a cross-encoder reads `query` + `document` tokens of a pair, and cuts the longer text first',
      ),
      document: length().describe('tokens kept of a document, or of each of its pieces; or `own`'),
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
};

const AFTER_SCORER = {
  dropout: between(0, 1, { open: 'most' }).optional().describe("replaces the model's own dropout rates"),
  decoder: section(
    {
      layers: whole(1).describe('layers that write, on top of an encoder (`kind: seq2seq`)'),
      start: oneOf('encoder', 'random').describe(
        "whether they begin as copies of the encoder's last layers or at random; what looks at the document is new",
      ),
      copy: truth().describe("whether it can also copy tokens of the document, by the decoder's state"),
    },
    { layers: 2, start: 'encoder', copy: false },
  ),
  words: section(
    {
      language: oneOf(...LANGUAGES).describe(
        'how text becomes the words that are weighed (`kind: terms`), as of a BM25 index',
      ),
      transform: oneOf('linear', 'sqrt').describe(
        'a word of weight y counts as scale · y times (DeepCT), or as scale · √y, which keeps more words',
      ),
      scale: positive().describe('how often a word of weight 1 counts'),
      combine: oneOf('sum', 'decay', 'mean', 'max').describe(
        'of several passages (`passages.mode: max`): added up (HDCT), weighed by 1 / place, averaged, or the greatest',
      ),
    },
    { language: 'en', ...FREQUENCY_DEFAULTS },
  ),
};

const AFTER_POOLING = {
  projection: z
    .union([z.int().min(1), z.literal(false)], { error: 'a dimension, or false' })
    .meta({ expected: 'a dimension, or false' })
    .optional()
    .describe("a linear layer after pooling; false removes the model's own"),
  bias: truth().optional().describe('whether the projection has a bias; ColBERT has none'),
  layerNorm: truth().optional().describe("ANCE's LayerNorm after the projection"),
  normalize: truth().optional().describe('scale vectors to length 1, so that the dot product is the cosine'),
};

/** What is to be trained. */
export function modelSetting(read: ReadOptions) {
  return choice<ModelRecipe>({
    ...read,
    axis: AXES.scorer,
    meaning:
      'how the rows of query and document become a score; as the pooling wants it, `max` for documents in pieces, else `dot`, unless given',
    otherwise: ({ passages, head }) =>
      scorerOfPooling(head) ?? (isObject(passages) && passages.mode === 'max' ? 'max' : 'dot'),
    before: { ...BEFORE_SCORER, head: headSetting(read).prefault({}) },
    after: AFTER_SCORER,
  });
}

/** The scorer that compares the rows of a pooling. */
function scorerOfPooling(head: unknown): string | undefined {
  if (!isObject(head) || typeof head.pooling !== 'string') return undefined;
  return representations.find(head.pooling)?.scorer;
}

function headSetting(read: ReadOptions) {
  return choice<ModelRecipe['head']>({
    ...read,
    axis: AXES.pooling,
    meaning: "how the states of a text's tokens become its rows; as the model has it unless given",
    optional: true,
    after: AFTER_POOLING,
  });
}
