import { expect, test } from 'vitest';
import { askedPiece } from './asked-piece.js';

const piece = (...ids: number[]) => ({ ids });

test('the piece with the rarest tokens of the query is asked about, the first of equal ones', () => {
  const [first, second, third] = [piece(1, 2, 3, 9), piece(1, 2, 4, 9), piece(1, 5, 6, 9)];
  const pieces = [first, second, third];
  expect(askedPiece(pieces, [1, 2, 4, 9])).toBe(second);
  // Two tokens that most pieces have count less than one that a single piece has.
  expect(askedPiece(pieces, [1, 2, 6, 9])).toBe(third);
  expect(askedPiece(pieces, [1, 9, 77])).toBe(first);
  expect(askedPiece([second], [6])).toBe(second);
});
