import { lateConfig, lateFormOf, lateTensors, writeLateFiles } from '../folder/colbert-writer.js';
import { encoderEnding, exportOnnx } from '../folder/onnx-export.js';
import { fillFolder, type SavedModel, type SaveModelOptions, saveFolder } from '../folder/save-model.js';
import { writeSentenceTransformersFiles } from '../folder/sentence-transformers-writer.js';
import { writeSparseFiles } from '../folder/sparse-encoder.js';
import { MLM_HEAD } from '../mlm/mlm-head.js';
import { mlmConfig, mlmTensors } from '../mlm/mlm-names.js';
import { isSided } from '../representation/kinds.js';
import { toHuggingFaceConfig } from './config.js';
import { embeddingSize } from './encoder-graph.js';
import type { EncoderModel } from './encoder-model.js';
import { HEAD_LAYER_NORM_EPS, HEAD_NAMES, type HeadDescription } from './head.js';
import { isHeadName, mlmPart } from './head-parameters.js';

/**
 * Saves a model as a folder that nearmiss, sentence-transformers, Transformers and Transformers.js load. It
 * appears complete or not at all.
 */
export async function saveEncoderModel(
  folder: string,
  model: EncoderModel,
  options: SaveModelOptions & { overwrite?: boolean } = {},
): Promise<void> {
  await saveFolder(folder, (temporary) => fillEncoderFolder(temporary, model, options), options);
}

/** Writes a model's files into a folder that the caller makes appear, e.g. a checkpoint with more beside them. */
export async function fillEncoderFolder(
  folder: string,
  model: EncoderModel,
  { card, onnx, mlmHead: beside }: SaveModelOptions = {},
): Promise<void> {
  const { spec, parameters, tokenizer, maxLength, prompts, lowercase } = model;
  const head = describeHead(model);
  const sparse = parameters.has(`${MLM_HEAD}.bias`);
  const mlmHead = sparse ? mlmPart(parameters) : beside;
  const late = lateFormOf({ head, tokenizer, maxLength });
  const config = toHuggingFaceConfig(spec.config);
  const tensors = parameters.specs
    .filter(({ name }) => !isHeadName(name))
    .map(({ name, shape }) => ({ name, shape: [...shape], data: parameters.get(name) }));
  const saved: SavedModel = {
    ...nearestForm(),
    tokenizer,
    maxLength,
    async card() {
      // Not loaded with the file: who opens a model to search with it, writes no card.
      const { renderModelCard } = await import('../folder/model-card.js');
      return renderModelCard({
        name: model.name,
        dimension: sparse ? spec.config.vocabularySize : embeddingSize(spec),
        maxSequenceLength: maxLength,
        similarity: head.similarity,
        pooling: head.pooling,
        normalize: head.normalize,
        projection: head.dense !== undefined,
        dequantizedFrom: spec.config.dequantizedFrom,
        prompts,
        ...card,
      });
    },
    onnx: () => exportOnnx(spec, parameters, { ending: encoderEnding(spec, tokenizer, maxLength) }),
    writeMore(place) {
      const texts = { maxSequenceLength: maxLength, prompts, lowercase };
      if (late) return writeLateFiles(place, late, texts);
      if (sparse) {
        const plainQueries = isSided(spec.head) ? tokenizer : undefined;
        return writeSparseFiles(place, spec.config, { ...texts, plainQueries });
      }
      return writeSentenceTransformersFiles(place, { head, hiddenSize: spec.config.hiddenSize, ...texts });
    },
  };
  await fillFolder(folder, saved, { onnx });

  /** Config and tensors as the library has them that knows the whole model. */
  function nearestForm(): Pick<SavedModel, 'config' | 'tensors'> {
    if (late) return { config: lateConfig(config, late), tensors: lateTensors(tensors, spec.config, late) };
    if (!mlmHead) return { config, tensors };
    return { config: mlmConfig(spec.config), tensors: mlmTensors(tensors, mlmHead, spec.config) };
  }
}

function describeHead({ spec: { config, head }, parameters }: EncoderModel): HeadDescription {
  const { projection, pooling, poolingOptions, normalize } = head;
  return {
    pooling,
    ...(poolingOptions && { poolingOptions }),
    normalize,
    similarity: normalize ? 'cosine' : 'dot',
    ...(projection && {
      dense: {
        in: config.hiddenSize,
        out: projection.size,
        weight: parameters.get(HEAD_NAMES.denseWeight),
        ...(projection.bias !== false && { bias: parameters.get(HEAD_NAMES.denseBias) }),
      },
    }),
    ...(projection?.layerNorm && {
      layerNorm: {
        size: projection.size,
        weight: parameters.get(HEAD_NAMES.normWeight),
        bias: parameters.get(HEAD_NAMES.normBias),
        eps: HEAD_LAYER_NORM_EPS,
      },
    }),
  };
}
