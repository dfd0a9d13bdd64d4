import type { Kind } from '../../base/registry.js';
import type { Dataset } from '../../data/index.js';
import type { ParameterStore, SessionOptions } from '../../engine/index.js';
import type { Ranking } from '../../evaluate/index.js';
import type { EncoderConfig, SaveModelOptions, TextReader } from '../../model/index.js';
import type { RebuildingPart } from '../../model/retromae/start-rebuilding.js';
import type { Side } from '../../model/side.js';
import type { Recipe } from '../../recipe/recipe.js';
import type { PlannedStage } from '../../run/plan.js';
import type { CheckpointSearch, CheckpointSearchOptions } from '../refresh/checkpoint-search.js';
import type { ModelRankingsOptions } from '../refresh/model-rankings.js';
import type { LiveEncoder } from '../step/live-encoder.js';
import type { MaskedBatch, MaskedGuesser } from '../step/masked-step.js';
import type { StageLoss } from '../step/objective.js';
import type { RetroMaeBatch, RetroMaeStepOptions } from '../step/retromae-step.js';
import type { WritingBatch } from '../step/seq2seq-step.js';
import type { Step } from '../step/step.js';
import type { WeighingBatch } from '../step/term-step.js';
import type { RetrievalBatch } from '../task/batch.js';
import type { StartOptions } from './starting-encoder.js';

export interface RetrievalStepOptions {
  recipe: Recipe;
  stage: PlannedStage;
  losses: readonly StageLoss[];
  /** Which parameters learn. */
  learns: (name: string) => boolean;
  /** The sides that come as rows, because they do not learn. Default none. */
  frozen?: readonly Side[];
  /** A layer on the vectors that learns with the model: what its `projector` gave. */
  projector?: ParameterStore;
  session: SessionOptions;
}

/** Encoding with other weights than the model's present ones, or as a step does. */
export interface LiveEncoderOptions {
  /** Of the same names; default the model's own. */
  parameters?: ParameterStore;
  /** Whether dropout acts, where the model has any. */
  dropout?: boolean;
}

export interface WritingStepOptions extends Pick<RetrievalStepOptions, 'learns' | 'session'> {
  /** Share of the probability that is spread over all words. */
  smoothing: number;
}

/** A model that learns to write. */
export interface Writer {
  /** What is to be written for a text, given its tokens with their special ones. */
  target(ids: ArrayLike<number>): Int32Array;
  /** Compiles a stage's forward and backward pass. */
  step(options: WritingStepOptions): Promise<Step<WritingBatch>>;
}

interface GuessingOptions extends Pick<RetrievalStepOptions, 'session'> {
  head: ParameterStore;
}

/** A model that learns to guess hidden words, with a head beside it. */
export interface Guesser {
  /** The head that the model `init` came with, or a new one. */
  head(init: string): Promise<ParameterStore>;
  /** Compiles a stage's forward and backward pass. */
  step(options: GuessingOptions & Pick<RetrievalStepOptions, 'learns'>): Promise<Step<MaskedBatch>>;
  /** Guesses with the present weights. */
  open(options: GuessingOptions): Promise<MaskedGuesser>;
  /** Of encoders that make one vector of a text by weighing its states. */
  readonly rebuilder?: Rebuilder;
}

interface RebuildingOptions
  extends Pick<RetrievalStepOptions, 'learns' | 'session'>,
    Pick<RetroMaeStepOptions, 'share' | 'wholeWords'> {
  beside: ParameterStore;
}

/** An encoder that learns to give texts vectors from which a decoder rebuilds them. */
export interface Rebuilder {
  /** With the head that the model `init` came with, or a new one. */
  start(init: string, seed: number): Promise<RebuildingPart>;
  /** Compiles a stage's forward and backward pass. */
  step(options: RebuildingOptions): Promise<Step<RetroMaeBatch>>;
}

/** A model that learns what words count for. */
export interface Weigher {
  /** Compiles a stage's forward and backward pass. */
  step(options: Pick<RetrievalStepOptions, 'learns' | 'session'>): Promise<Step<WeighingBatch>>;
}

/** A kind of model as the trainer knows it: everything in which runs of its kind differ from others. */
export interface TrainedModelKind extends Kind {
  /** Whether its checkpoints make an index that searches of the run read. */
  readonly indexes: boolean;
  /** The model that a run of this recipe starts from. */
  start(recipe: Recipe, dataset: Dataset, options: StartOptions): Promise<TrainedModel>;
  /** Loads what the model's `fill` wrote. */
  load(folder: string): Promise<TrainedModel>;
  /** What a checkpoint finds for queries. */
  openCheckpoint(step: number, options: CheckpointSearchOptions): Promise<CheckpointSearch>;
}

/** What a run trains, of whatever kind. */
export interface TrainedModel {
  readonly parameters: ParameterStore;
  readonly config: Pick<EncoderConfig, 'layers'>;
  readonly reader: TextReader;
  /** Numbers in a vector; none where the kind makes no vectors. */
  readonly vectorSize?: number;
  /** Compiles a stage's forward and backward pass. */
  step(options: RetrievalStepOptions): Promise<Step<RetrievalBatch>>;
  /** Of models that learn to write. */
  readonly writer?: Writer;
  /** Of encoders that read queries and documents alike. */
  readonly guesser?: Guesser;
  /** Of models that learn to weigh words. */
  readonly weigher?: Weigher;
  /** Encodes texts of a side with the present weights; fails where the kind makes no rows. */
  liveEncoder(side: Side, session: SessionOptions, options?: LiveEncoderOptions): Promise<LiveEncoder>;
  /** A new layer for its vectors that learns with it and is not saved; none where the kind makes no vectors. */
  projector?(seed: number): ParameterStore;
  /** What it finds with the present weights; a kind without an index reranks what BM25 finds. */
  rankings(options: ModelRankingsOptions): Promise<Map<string, Ranking>>;
  /** Writes the model into a folder that the caller makes appear. */
  fill(folder: string, options: SaveModelOptions): Promise<void>;
}

export function hasDropout({ hiddenDropout, attentionDropout }: EncoderConfig): boolean {
  return hiddenDropout > 0 || attentionDropout > 0;
}
