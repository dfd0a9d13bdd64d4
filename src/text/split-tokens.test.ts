import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lengthOfPieces, splitTokens } from './split-tokens.js';
import { batchCount, type TokenBatch, TokenBatchBuilder, tokensAt } from './token-batch.js';

const CLS = -1;
const SEP = -2;

function batchOf(bodies: number[][]): TokenBatch {
  const builder = new TokenBatchBuilder();
  for (const body of bodies) {
    builder.add([CLS, ...body, SEP]);
    builder.endText();
  }
  return builder.build();
}

const bodyArbitrary = fc.array(fc.nat({ max: 99 }), { maxLength: 40 });

test('pieces carry the special tokens, are never empty, and joined give the text back', () => {
  fc.assert(
    fc.property(
      fc.array(bodyArbitrary, { maxLength: 6 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 3, max: 12 }),
      (bodies, maxPieces, pieceLength) => {
        const split = splitTokens(batchOf(bodies), { maxPieces, pieceLength });
        expect(split.pieceOffsets).toHaveLength(bodies.length + 1);
        expect(batchCount(split)).toBe(split.pieceOffsets[bodies.length]);
        bodies.forEach((body, text) => {
          const pieces = Array.from(
            { length: split.pieceOffsets[text + 1] - split.pieceOffsets[text] },
            (_, i) => [...tokensAt(split, split.pieceOffsets[text] + i)],
          );
          expect(pieces.length).toBe(
            Math.min(maxPieces, Math.max(1, Math.ceil(body.length / (pieceLength - 2)))),
          );
          for (const [i, piece] of pieces.entries()) {
            expect(piece[0]).toBe(CLS);
            expect(piece.at(-1)).toBe(SEP);
            expect(piece.length).toBeLessThanOrEqual(pieceLength);
            if (i < pieces.length - 1) expect(piece).toHaveLength(pieceLength);
            if (body.length > 0) expect(piece.length).toBeGreaterThan(2);
          }
          const kept = lengthOfPieces({ maxPieces, pieceLength }) - 2;
          expect(pieces.flatMap((piece) => piece.slice(1, -1))).toEqual(body.slice(0, kept));
        });
      },
    ),
  );
});

test('ANCE MaxP: 4 pieces of 512', () => {
  const options = { maxPieces: 4, pieceLength: 512 };
  expect(lengthOfPieces(options)).toBe(2042);
  const split = splitTokens(batchOf([new Array(600).fill(7)]), options);
  expect([...split.offsets]).toEqual([0, 512, 512 + 92]);
});

test('refuses lengths that cannot be and texts without special tokens', () => {
  const batch = batchOf([[1]]);
  expect(() => splitTokens(batch, { maxPieces: 0, pieceLength: 9 })).toThrow('maxPieces');
  expect(() => splitTokens(batch, { maxPieces: 1, pieceLength: 2 })).toThrow('pieceLength');
  const bare = { ids: Int32Array.of(5), offsets: Uint32Array.of(0, 1) };
  expect(() => splitTokens(bare, { maxPieces: 1, pieceLength: 9 })).toThrow(
    'text 0: expected a first and a last special token, got 1 tokens',
  );
});
