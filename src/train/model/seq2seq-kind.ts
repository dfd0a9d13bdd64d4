import { NearmissError } from '../../base/errors.js';
import type { Dataset } from '../../data/index.js';
import type { ParameterStore, SessionOptions } from '../../engine/index.js';
import type { Ranking } from '../../evaluate/index.js';
import { resolveModel, type SaveModelOptions, type TextReader } from '../../model/index.js';
import { modelKinds } from '../../model/kinds.js';
import { createBert2Rnd } from '../../model/seq2seq/create-bert2rnd.js';
import { Likelihood } from '../../model/seq2seq/likelihood.js';
import {
  fillSeq2SeqFolder,
  isSeq2Seq,
  loadSeq2Seq,
  type Seq2SeqModel,
} from '../../model/seq2seq/seq2seq-model.js';
import { targetOf } from '../../model/seq2seq/written-tokens.js';
import type { Recipe } from '../../recipe/recipe.js';
import { textLengths } from '../../recipe/text-lengths.js';
import { modelFolder } from '../../run/model-folder.js';
import type { ModelRankingsOptions } from '../refresh/model-rankings.js';
import { type PairScores, Reranking } from '../refresh/reranking.js';
import { RerankingCheckpoint } from '../refresh/reranking-checkpoint.js';
import type { LiveEncoder } from '../step/live-encoder.js';
import { Seq2SeqStep } from '../step/seq2seq-step.js';
import type { Step } from '../step/step.js';
import type { RetrievalBatch } from '../task/batch.js';
import { type StartOptions, startingEncoder } from './starting-encoder.js';
import type { TrainedModel, TrainedModelKind, Writer } from './trained-model.js';

/** The model that a run trains to write what a text should be found by. */
class TrainedSeq2Seq implements TrainedModel {
  readonly model: Seq2SeqModel;

  private constructor(model: Seq2SeqModel) {
    this.model = model;
  }

  /** A T5 as it is, or an encoder with new decoder layers. */
  static async start(recipe: Recipe, dataset: Dataset, options: StartOptions): Promise<TrainedSeq2Seq> {
    const { model, seed } = recipe;
    const { query: maxTarget, document: maxSource } = textLengths(model);
    const { init } = model;
    if (init !== 'scratch' && (await isSeq2Seq((await resolveModel(init, options)).folder))) {
      return new TrainedSeq2Seq({ ...(await loadSeq2Seq(init, options)), maxSource, maxTarget });
    }
    const encoder = await startingEncoder(recipe, dataset, {
      ...options,
      maxLength: Math.max(maxSource, maxTarget),
    });
    const { layers: decoderLayers, start, copy } = model.decoder;
    const sizes = { decoderLayers, maxSource, maxTarget, copyLayers: start === 'encoder', copy, seed };
    return new TrainedSeq2Seq(createBert2Rnd(encoder, sizes));
  }

  static async load(folder: string): Promise<TrainedSeq2Seq> {
    return new TrainedSeq2Seq(await loadSeq2Seq(folder));
  }

  get parameters(): ParameterStore {
    return this.model.parameters;
  }

  get config(): { layers: number } {
    return this.model.spec;
  }

  get reader(): TextReader {
    return { tokenizer: this.model.tokenizer, prompts: {}, lowercase: false };
  }

  async step(): Promise<Step<RetrievalBatch>> {
    throw writesOnly('learns to write, not to score');
  }

  async liveEncoder(): Promise<LiveEncoder> {
    throw writesOnly('makes no vectors');
  }

  get writer(): Writer {
    const { model } = this;
    return {
      target: (ids) => targetOf(ids, model.spec.shape),
      step: (options) => Seq2SeqStep.create({ model, ...options }),
    };
  }

  async rankings(options: ModelRankingsOptions): Promise<Map<string, Ranking>> {
    const scores = await queryLikelihood(this.model, options.session);
    return new Reranking(scores, options)
      .rankings(options.queries, options.k)
      .finally(() => scores.release());
  }

  fill(folder: string, options: SaveModelOptions): Promise<void> {
    return fillSeq2SeqFolder(folder, this.model, options);
  }
}

function writesOnly(what: string): NearmissError {
  return new NearmissError(`a model of kind seq2seq ${what}`, { hint: 'set task: generate in its stages' });
}

/**
 * Ranks documents by how probable the query is when they are read (query likelihood; Ponte & Croft 1998): a generator
 * that gives a query to the right one of similar documents has understood it.
 */
async function queryLikelihood(model: Seq2SeqModel, session: SessionOptions): Promise<PairScores> {
  const likelihood = await Likelihood.create(model, session);
  return {
    score: (query, documents) => {
      const target = targetOf(query.ids, model.spec.shape);
      return likelihood.of(documents.map(({ ids }) => ({ source: ids, target })));
    },
    release: () => likelihood.release(),
  };
}

/** Reads a document and writes queries that it answers. */
export const seq2SeqKind: TrainedModelKind = {
  ...modelKinds.get('seq2seq'),
  indexes: false,
  start: (recipe, dataset, options) => TrainedSeq2Seq.start(recipe, dataset, options),
  load: (folder) => TrainedSeq2Seq.load(folder),
  openCheckpoint: (step, options) =>
    RerankingCheckpoint.open(step, options, async () =>
      queryLikelihood(await loadSeq2Seq(await modelFolder(options.run, step)), options.session),
    ),
};
