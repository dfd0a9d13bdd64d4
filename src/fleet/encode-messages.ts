import type { EncodedTexts } from '../model/encoder/encoded-texts.js';
import type { UsedPrecision } from '../model/precision/precision.js';

/** What an encoding thread begins with. */
export interface ThreadStart {
  folder: string;
  precision: UsedPrecision;
  threads?: number;
}

/** What it says of the model it has loaded. */
export interface LoadedModel {
  weights: string;
  tokenizer: string;
  dimension: number;
}

export interface ThreadRequest {
  texts: readonly string[];
  use: 'query' | 'document';
}

export type ThreadAnswer = EncodedTexts;
