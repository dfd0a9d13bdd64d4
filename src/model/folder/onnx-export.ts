import {
  add,
  div,
  embedding,
  emitOnnx,
  equal,
  first,
  Graph,
  matmul,
  mul,
  type ParameterSpec,
  type ParameterStore,
  reduceSum,
  reshape,
  rowsUpTo,
  sub,
  toFloat,
  type Value,
  where,
} from '../../engine/index.js';
import type { Tokenizer } from '../../text/tokenizer.js';
import { BertGraph } from '../encoder/bert.js';
import type { EncoderConfig } from '../encoder/config.js';
import { applyHead, type EncoderSpec, encoderParameters, headSize } from '../encoder/encoder-graph.js';
import { MASKED } from '../encoder/packed-batch.js';
import { representationOf } from '../representation/kinds.js';
import { weighsVocabulary } from '../representation/representation.js';
import { SIDES } from '../side.js';

export interface ExportOptions {
  /** Weights in 8 bits: a quarter of the size. */
  quantize?: boolean;
  /** How inputs end that are as long as the model takes. */
  ending?: InputEnding;
}

/**
 * The last token of an input that is as long as the model takes is the one that ends every input (`[SEP]`). Transformers.js
 * cuts it off with the text; the export puts it back, which changes nothing for those who cut the text alone.
 */
export interface InputEnding {
  maxLength: number;
  token: number;
}

/** How an encoder's inputs end; nothing where a representation changes the tokens, which callers then feed as they are. */
export function encoderEnding(
  spec: EncoderSpec,
  tokenizer: Tokenizer,
  maxLength: number,
): InputEnding | undefined {
  const changes = SIDES.some((side) => representationOf(spec.head, side).read);
  return changes ? undefined : inputEnding(tokenizer, maxLength);
}

/** Where a tokenizer ends its inputs with a token of its own. */
export function inputEnding(tokenizer: Tokenizer, maxLength: number): InputEnding | undefined {
  const token = tokenizer.specialTokens.sep?.id;
  return token === undefined || tokenizer.specialCount < 2 ? undefined : { maxLength, token };
}

/** What both sides make, documents make first. */
const DOCUMENTS_FIRST = ['documents', 'queries'] as const;
const [BATCH, SEQUENCE] = ['batch_size', 'sequence_length'];
const TOKENS = `${BATCH}*${SEQUENCE}`;

/**
 * The encoder as other people's runtimes expect it: `input_ids`, `attention_mask` and `token_type_ids` in, the
 * last hidden states and the final vector out, standard operators only, weights inside. Where rows are tokens, there is one for
 * each as `token_embeddings`, markers and `[MASK]` being for the caller to feed; a Poly-encoder's queries are `code_embeddings`.
 */
export function exportOnnx(
  spec: EncoderSpec,
  parameters: ParameterStore,
  { quantize = false, ending }: ExportOptions = {},
): Uint8Array {
  const graph = new Graph();
  const exported = exportedStates(graph, spec.config, encoderParameters(spec), ending);
  const outputs = { last_hidden_state: exported.states, ...exportedRows(exported, spec) };
  return emitOnnx(graph, { outputs, weights: (name) => parameters.get(name), portable: true, quantize });
}

type ExportedStates = ReturnType<typeof exportedStates>;

/** What a head makes of the states of each side. */
function exportedRows(
  { ids, states, mask, parameter }: ExportedStates,
  spec: EncoderSpec,
): Record<string, Value> {
  const rows: Record<string, Value> = {};
  const size = headSize(spec);
  for (const side of DOCUMENTS_FIRST) {
    const representation = representationOf(spec.head, side);
    if ('tokens' in representation) {
      rows.token_embeddings ??= reshape(
        applyHead(reshape(states, [TOKENS, spec.config.hiddenSize]), spec, parameter),
        [BATCH, SEQUENCE, size],
      );
    } else if (weighsVocabulary(representation) && side === 'queries') {
      // Of both sides alike, or of no model at all: documents' serve.
    } else if ('count' in representation) {
      const { config } = spec;
      const bias = mul(sub(1, mask), MASKED);
      const group = { states, ids, bias, texts: BATCH, length: SEQUENCE, config, inference: true };
      const built = applyHead(representation.build(group, parameter), spec, parameter);
      if (weighsVocabulary(representation)) rows.sentence_embedding = built;
      else rows.code_embeddings = reshape(built, [BATCH, representation.count, size]);
    } else {
      rows.sentence_embedding ??= applyHead(
        pooled(states, mask, spec, representation.firstTokenOnly),
        spec,
        parameter,
      );
    }
  }
  return rows;
}

/** The last hidden states, [batch, sequence, hidden], over inputs as other people's runtimes name them. */
export function exportedStates(
  graph: Graph,
  config: EncoderConfig,
  parameters: readonly ParameterSpec[],
  ending?: InputEnding,
): { ids: Value; states: Value; mask: Value; parameter: (name: string) => Value } {
  const weights = new Map(parameters.map(({ name, shape }) => [name, graph.parameter(name, shape)]));
  const parameter = (name: string): Value => weights.get(name)!;
  const input = (name: string): Value => graph.input(name, [BATCH, SEQUENCE], 'int64');
  const [ids, mask, types] = [input('input_ids'), toFloat(input('attention_mask')), input('token_type_ids')];
  const { hiddenSize, positionOffset } = config;

  const table = (name: string): Value => parameter(`embeddings.${name}_embeddings.weight`);
  const words = add(embedding(table('word'), ended(ids, ending)), embedding(table('token_type'), types));
  const embedded = add(words, rowsUpTo(table('position'), { start: positionOffset, length: SEQUENCE }));
  const bert = new BertGraph({ config, parameter });
  const bias = mul(sub(1, mask), MASKED);
  const hidden = bert.layers(bert.embed(reshape(embedded, [TOKENS, hiddenSize])), [
    { texts: BATCH, length: SEQUENCE, bias },
  ]);

  return { ids, states: reshape(hidden, [BATCH, SEQUENCE, hiddenSize]), mask, parameter };
}

function ended(ids: Value, ending: InputEnding | undefined): Value {
  if (!ending) return ids;
  const { graph } = ids;
  const { maxLength, token } = ending;
  const integers = (values: number[], shape: number[]): Value =>
    graph.constant({ shape, data: BigInt64Array.from(values.map(BigInt)) });
  const positions = Array.from({ length: maxLength }, (_, position) => position);
  // As far as the input goes: where it is shorter, none of them is the last.
  const upTo = rowsUpTo(integers(positions, [maxLength]), { start: 0, length: SEQUENCE });
  return where(equal(upTo, integers([maxLength - 1], [])), integers([token], []), ids);
}

function pooled(states: Value, mask: Value, { config }: EncoderSpec, firstOnly = false): Value {
  if (firstOnly) return first(states, { axis: 1 });
  const weights = div(mask, reduceSum(mask, { axes: [1], keepDims: true }));
  const rows = matmul(reshape(weights, [BATCH, 1, SEQUENCE]), states);
  return reshape(rows, [BATCH, config.hiddenSize]);
}
