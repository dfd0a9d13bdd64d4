import { expect, test } from 'vitest';
import { rankMoves } from './rank-moves.js';

const column = (mode: 'bm25' | 'dense' | 'hybrid', ids: string) => ({
  mode,
  hits: [...ids].map((id) => ({ id, score: 1 })),
});

test('moves count from the first column', () => {
  const moves = rankMoves([column('bm25', 'abc'), column('dense', 'cab')]);
  expect(Object.fromEntries(moves.get('dense')!)).toEqual({
    c: { kind: 'up', by: 2 },
    a: { kind: 'down', by: 1 },
    b: { kind: 'down', by: 1 },
  });
  expect(moves.get('bm25')!.size).toBe(0);
});

test('what one column alone found says so, in the first column, too', () => {
  const moves = rankMoves([column('bm25', 'ab'), column('dense', 'acd'), column('hybrid', 'ad')]);
  expect(moves.get('bm25')!.get('b')).toEqual({ kind: 'only' });
  expect(moves.get('dense')!.get('a')).toEqual({ kind: 'same' });
  expect(moves.get('dense')!.get('c')).toEqual({ kind: 'only' });
  expect(moves.get('dense')!.get('d')).toEqual({ kind: 'new' });
  expect(moves.get('hybrid')!.get('d')).toEqual({ kind: 'new' });
});
