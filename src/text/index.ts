export * from './analyzers/index.js';
export type { SpecialRole, SpecialToken, SpecialTokens } from './special-tokens.js';
export { type SplitTextOptions, splitText, wordCount } from './split-text.js';
export { lengthOfPieces, type PieceBatch, type SplitTokensOptions, splitTokens } from './split-tokens.js';
export { batchCount, type PairBatch, type TokenBatch, TokenBatchBuilder, tokensAt } from './token-batch.js';
export { type EncodeOptions, type TextPair, Tokenizer } from './tokenizer.js';
export { type TrainTokenizerOptions, trainTokenizer } from './train-tokenizer.js';
