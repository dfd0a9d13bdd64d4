import { describeTokenIndex } from './token-index.conformance.js';

describeTokenIndex('rows as they are', { bits: 'exact', overlapWithTruth: 1 });
describeTokenIndex('4 bits', { bits: 4, overlapWithTruth: 0.9 });
describeTokenIndex('2 bits', { bits: 2, overlapWithTruth: 0.7 });
describeTokenIndex('1 bit', { bits: 1, overlapWithTruth: 0.5 });
