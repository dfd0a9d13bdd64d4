import { expect, test } from 'vitest';
import { pairsDataset, type TextPair } from './pairs-dataset.js';

const giraffe: TextPair = { query: 'how tall is a giraffe', document: 'five metres' };

test('sides that are called otherwise, and empty ones, are told with their place', () => {
  const named = { question: 'when do owls sleep', answer: 'by day' } as unknown as TextPair;
  expect(() => pairsDataset([giraffe, named])).toThrow(
    expect.objectContaining({
      message: 'pairs[1]: field "query": expected a text, got nothing',
      hint: 'a pair is { query, document }; this one has: question, answer',
    }),
  );
  expect(() => pairsDataset([giraffe], { dev: [{ query: 'when do owls sleep', document: ' ' }] })).toThrow(
    'dev[0]: field "document": expected a text, got the text " "',
  );
});
