import type { HeadOptions } from '../model/encoder/head-config.js';
import type { FrequencyOptions } from '../model/terms/document-weights.js';
import type { NegativesRecipe } from '../negatives/index.js';
import type { Language } from '../text/analyzers/analyzer.js';

export type { NegativesRecipe };

/** One encoder for queries and documents, or one each (as DPR has). */
export type Towers = 'shared' | 'two';

/** Tokens kept of a text: so many, or as many as the model itself reads. */
export type TextLength = number | 'own';

/** A value of an axis: the kind's name and its options. */
export interface Choice {
  name: string;
  [option: string]: unknown;
}

/** A system of the papers as choices along axes, stage by stage. */
export interface Recipe {
  name: string;
  /** What it reproduces and where it comes from, for people. */
  description: string;
  seed: number;
  /** Modules that register losses, sources of negatives … of their own. */
  use: string[];
  model: ModelRecipe;
  /** How stages learn, unless they say otherwise. */
  loss: LossRecipe | LossRecipe[];
  teacher: Choice;
  examples: Choice;
  optimizer: OptimizerRecipe;
  batch: BatchRecipe;
  refresh: RefreshRecipe;
  evaluation: EvaluationRecipe;
  checkpoint: CheckpointRecipe;
  evidence: EvidenceRecipe;
  stages: StageRecipe[];
}

export interface ModelRecipe {
  /** A kind of model, e.g. `dual` or `cross`. */
  kind: string;
  /** `minilm`, `scratch`, a folder or a hub id. */
  init: string;
  /** Keep only the first n layers; with `scratch`, how many there are. */
  layers?: number;
  /** Sizes for `scratch`. */
  hiddenSize?: number;
  heads?: number;
  vocabularySize?: number;
  towers: Towers;
  maxLength: { query: TextLength; document: TextLength };
  /** FirstP reads a document's first tokens; MaxP up to `pieces` pieces, and the best one counts. */
  passages: { mode: 'first' | 'max'; pieces: number };
  head: HeadOptions;
  /** How the rows of query and document become a score. */
  scorer: string;
  /** Replaces the model's own dropout rates. */
  dropout?: number;
  /** Layers that are put on an encoder that is to write. */
  decoder: { layers: number; start: 'encoder' | 'random'; copy: boolean };
  /** How the weights of words become frequencies in an index. */
  words: FrequencyOptions & { language: Language };
}

export interface LossRecipe extends Choice {
  /** Scores are divided by this. */
  temperature: number;
  /** Its factor in the sum, where there are several. */
  weight: number;
  /** Whose scores it learns from, where that is not the stage's teacher. */
  teacher?: Choice;
}

export interface OptimizerRecipe extends Choice {
  learningRate: number;
  weightDecay: number;
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
  /** Tokens of a document that are read while learning; as many as the model reads unless given. */
  documentTokens?: number;
  /** Which examples come together. */
  order: Choice;
  /** Negatives that the teacher scores above the positive less this do not count. */
  guideMargin?: number;
}

export interface RefreshRecipe {
  /** `async`: the Trainer goes on with old negatives; `lockstep`: it waits, and a run is a function of its seed. */
  mode: 'async' | 'lockstep';
  /** Share of the training queries mined anew at each refresh, rotating. */
  share: number;
  /** In which numbers checkpoints encode what is mined and measured. */
  precision: 'fp32' | 'int8' | 'auto';
  index: {
    type: 'flat' | 'hnsw' | 'int8' | 'binary' | 'qdrant' | 'pgvector';
    storage: 'f32' | 'f16' | 'i8';
    bits: 1 | 2 | 4 | 'exact' | 'auto';
    dimensions?: number;
    lists?: number;
    probes?: number;
    rescore?: number;
    /** Of an engine: its address. */
    url?: string;
    exact?: boolean;
    shards?: number;
    replicas?: number;
    quantization?: 'none' | 'int8' | 'binary';
  };
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
  /**
   * `best`: the checkpoint that measures best is kept. `significant`: what the run starts from is kept unless a checkpoint
   * is better by more than chance.
   */
  choose: 'best' | 'significant';
  /** How likely a difference may be chance that `choose: significant` takes for one. */
  chance?: number;
  /** Stop after this many evaluations without a better one; 0 never stops. */
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

/** A stage learns for some steps, or makes data (`make`) that later stages use. */
export interface StageRecipe {
  name: string;
  /** Updates of the weights; where the stage makes something, 1 if that is the model, else 0. */
  steps: number;
  /** At most this many passes over the training queries, where that is fewer steps. */
  epochs?: number;
  /** What is learned. */
  task: Choice;
  make?: Choice;
  /** Where negatives come from; several sources are mixed. None where the task has no negatives. */
  negatives: NegativesRecipe[];
  /** Parameters that do not learn: `queries`, `documents`, `embeddings`, `layers.0` … */
  freeze: string[];
  loss?: Partial<LossRecipe> | LossRecipe[];
  teacher?: Choice;
  examples?: Choice;
  optimizer?: Partial<OptimizerRecipe>;
  batch?: Partial<BatchRecipe>;
}
