import type { HeadOptions } from '../model/encoder/encoder-model.js';

/** One encoder for queries and documents, or one each (as DPR has). */
export type Towers = 'shared' | 'two';

/** A system of the papers as a choice along five axes: encoder, negatives, loss, (teacher,) stages. */
export interface Recipe {
  name: string;
  /** What it reproduces and where it comes from, for people. */
  description: string;
  seed: number;
  model: ModelRecipe;
  /** How stages learn, unless they say otherwise. */
  loss: LossRecipe;
  optimizer: OptimizerRecipe;
  batch: BatchRecipe;
  refresh: RefreshRecipe;
  evaluation: EvaluationRecipe;
  checkpoint: CheckpointRecipe;
  evidence: EvidenceRecipe;
  stages: StageRecipe[];
}

export interface ModelRecipe {
  /** `dual`: queries and documents become vectors, each by itself; `cross`: both are read together and become a score. */
  kind: 'dual' | 'cross';
  /** `minilm`, `scratch`, a folder or a hub id. */
  init: string;
  /** Keep only the first n layers; with `scratch`, how many there are. */
  layers?: number;
  /** Sizes for `scratch`. */
  hiddenSize?: number;
  heads?: number;
  vocabularySize?: number;
  towers: Towers;
  maxLength: { query: number; document: number };
  /** FirstP reads a document's first tokens; MaxP up to `pieces` pieces, and the best one counts. */
  passages: { mode: 'first' | 'max'; pieces: number };
  head: HeadOptions;
  /** Replaces the model's own dropout rates. */
  dropout?: number;
}

export interface LossRecipe {
  name: 'nll' | 'infonce' | 'bce' | 'hinge' | 'ranknet';
  /** Scores are divided by this. */
  temperature: number;
  /** For `hinge`. */
  margin: number;
}

export interface OptimizerRecipe {
  name: 'adamw' | 'lamb';
  learningRate: number;
  weightDecay: number;
  beta1: number;
  beta2: number;
  epsilon: number;
  /** Largest global gradient norm. */
  clip: number;
  warmupSteps: number;
  decay: 'linear' | 'cosine' | 'none';
}

export interface BatchRecipe {
  /** Queries in a batch. */
  queries: number;
  /** Batches whose gradients are added up for one update. */
  accumulate: number;
  /** Compute gradients in chunks of this many tokens (gradient caching), or 0 for all at once. */
  cacheTokens: number;
}

export interface RefreshRecipe {
  /** `async`: the Trainer goes on with old negatives; `lockstep`: it waits, and a run is a function of its seed. */
  mode: 'async' | 'lockstep';
  /** Share of the training queries mined anew at each refresh, rotating. */
  share: number;
  index: { type: 'flat' | 'hnsw'; storage: 'f32' | 'f16' | 'i8' };
}

export interface EvaluationRecipe {
  /** Split with judgments to measure on; never the test split. */
  split: string;
  measures: string[];
  /** Measure every checkpoint, or only the last one, which leaves more time to the Trainer. */
  when: 'checkpoints' | 'end';
  /** At most this many queries, the same at each measurement; 0 for all. */
  queries: number;
  /** How deep rankings go; for a cross-encoder, how many of BM25's documents it reranks. */
  depth: number;
  /** The measure that decides which checkpoint is best. */
  best: string;
  /** Stop after this many evaluations without a new best; 0 never stops. */
  patience: number;
}

export interface CheckpointRecipe {
  /** Steps between checkpoints, and so between refreshes. */
  every: number;
  /** How many of the newest to keep besides the best. */
  keep: number;
}

export interface EvidenceRecipe {
  /** Steps between measurements of what each source of negatives teaches by itself; 0 for none. */
  every: number;
}

export interface StageRecipe {
  name: string;
  steps: number;
  /** Where negatives come from; several sources are mixed. */
  negatives: NegativesRecipe[];
  loss?: Partial<LossRecipe>;
  optimizer?: Partial<OptimizerRecipe>;
  batch?: Partial<BatchRecipe>;
}

/** One source of negatives in a stage. */
export interface NegativesRecipe {
  /**
   * `in-batch`: every other document of the batch; `hardest-in-batch`: the best scored of those (NCE); `random`:
   * anywhere in the corpus; `bm25`, `ann`: near the top of a ranking; `static`: from a file.
   */
  source: 'in-batch' | 'hardest-in-batch' | 'random' | 'bm25' | 'ann' | 'static';
  /** Negatives for each query and step (not for in-batch sources). */
  count: number;
  /** How deep in the ranking to sample (`bm25`, `ann`, `static`). */
  depth: number;
  /** `uniform` over the depth, or more often near the top (`weighted`, by 1/rank). */
  sampling: 'uniform' | 'weighted';
  /** Guards against unlabelled positives. */
  skipRanks: number;
  /** Drop candidates that score above the positive's score minus this (absolute). */
  margin?: number;
  /** Drop candidates that score above this share of the positive's score. */
  relativeMargin?: number;
  /** Drop candidates that contain an answer string of the query. */
  dropAnswers: boolean;
  /** Keep candidates with a positive's text under another id, which are dropped otherwise. */
  keepDuplicates: boolean;
  /** For `static`: a TREC run, a training file or a candidate table's folder. */
  file?: string;
}
