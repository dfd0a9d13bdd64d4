import { NearmissError } from '../../base/errors.js';
import { formatShape, sameShape, sizeOf } from '../../engine/shape.js';
import { type ExportDetails, isOfOtherTask, type Weights } from '../folder/weights.js';
import type { Constant } from './constant.js';
import { ExportGraph } from './export-graph.js';
import { findBert, type StatedForm } from './find-bert.js';
import { findHeads } from './find-heads.js';
import { findPooling } from './find-pooling.js';
import { OnnxFile } from './onnx-file.js';
import { RULES } from './rules/index.js';

const WORDS = 'embeddings.word_embeddings.weight';

/**
 * Opens an ONNX export of BERT or RoBERTa for the sake of its weights: fp32, fp16 or 8 bits, as PyTorch writes it or as
 * ONNX Runtime optimises and quantises it, with its data inside or in files beside it.
 *
 * @example
 * const weights = await openOnnxWeights('runs/mine/best/onnx/model.onnx', { layers: 1, heads: 2 });
 * console.log(weights.names.length);
 * await weights.close();
 */
export async function openOnnxWeights(path: string, stated: StatedForm): Promise<Weights> {
  const model = await OnnxFile.open(path);
  try {
    const graph = new ExportGraph(model, RULES);
    const { weights, states } = findBert(graph, stated);
    const words = weights.get(WORDS)!.name;
    const prefix = words.slice(0, Math.max(0, words.indexOf(WORDS)));
    const heads = findHeads(graph, { encoder: new Set(weights.values()), prefix });
    return new OnnxWeights(model, new Map([...heads, ...weights]), {
      path,
      quantized: [...weights.values()].some(({ quantized }) => quantized),
      pooling: findPooling(graph, states),
    });
  } catch (error) {
    await model.close();
    throw error;
  }
}

class OnnxWeights implements Weights {
  readonly exported: ExportDetails;
  readonly #model: OnnxFile;
  readonly #constants: ReadonlyMap<string, Constant>;

  constructor(model: OnnxFile, constants: ReadonlyMap<string, Constant>, exported: ExportDetails) {
    this.#model = model;
    this.#constants = constants;
    this.exported = exported;
  }

  get names(): string[] {
    return [...this.#constants.keys()].filter((name) => !isOfOtherTask(name));
  }

  has(name: string): boolean {
    return this.#constants.has(name);
  }

  shape(name: string): number[] {
    return [...this.#constant(name).shape];
  }

  async read(name: string, expectedShape: readonly number[], into?: Float32Array): Promise<Float32Array> {
    const { shape, name: stored, read } = this.#constant(name);
    if (sameShape(shape, expectedShape)) return read(into ?? new Float32Array(sizeOf(shape)));
    throw new NearmissError(
      `${this.#model.path}: tensor "${stored}" (${name}): expected shape ${formatShape(expectedShape)}, got ${formatShape(shape)}`,
      { hint: 'the export and config.json are not of the same model' },
    );
  }

  async close(): Promise<void> {
    await this.#model.close();
  }

  #constant(name: string): Constant {
    const constant = this.#constants.get(name);
    if (constant) return constant;
    throw new NearmissError(`${this.#model.path}: tensor "${name}" is missing from the export`, {
      hint: `check that config.json is of the same model as the export, in which ${this.names.length} weights were found`,
    });
  }
}
