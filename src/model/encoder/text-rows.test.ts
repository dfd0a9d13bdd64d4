import fc from 'fast-check';
import { expect, test } from 'vitest';
import { embedding, Graph, ParameterStore, selectRows } from '../../engine/index.js';
import type { EncoderConfig } from './config.js';
import { rowsOf } from './encoded-texts.js';
import { TextRows } from './text-rows.js';

const WORDS = 20;
const SIZE = 2;

/** One row a token, which is the token's number and its negative: what a late-interaction model looks like from here. */
async function tokenRows(rowsOfText: (tokens: number) => number): Promise<TextRows> {
  const parameters = new ParameterStore([{ name: 'words', shape: [WORDS, SIZE] }]);
  parameters.get('words').set(Array.from({ length: WORDS }, (_, id) => [id, -id]).flat());
  const graph = new Graph();
  const ids = graph.input('ids', ['texts0*length0'], 'int32');
  graph.input('bias0', ['texts0', 'length0']);
  const tokens = embedding(graph.parameter('words', [WORDS, SIZE]), ids);
  const selected = graph.input('selected', ['rows'], 'int32');
  const unselected = graph.input('unselected', ['texts0*length0'], 'int32');
  return TextRows.compile(
    {
      graph,
      rows: selectRows(tokens, selected, unselected),
      size: SIZE,
      parameters,
      config: { padTokenId: 0, positionOffset: 0 } as EncoderConfig,
      representation: {
        tokens: ({ ids }) => Array.from({ length: rowsOfText(ids.length) }, (_, token) => token),
      },
    },
    { session: { threads: 1 }, tokenBudget: 12 },
  );
}

const texts = fc.array(fc.array(fc.integer({ min: 1, max: WORDS - 1 }), { minLength: 1, maxLength: 9 }), {
  maxLength: 8,
});

test.each([
  ['all tokens', (tokens: number) => tokens],
  ['the first three', (tokens: number) => Math.min(3, tokens)],
])('as many rows as a text has, without those of its padding: %s', async (_, count) => {
  const rows = await tokenRows(count);
  await fc.assert(
    fc.asyncProperty(texts, async (lists) => {
      const encoded = await rows.of(lists.map((ids) => ({ ids })));
      lists.forEach((ids, i) => {
        const expected = ids.slice(0, count(ids.length)).flatMap((id) => [id, -id]);
        expect([...rowsOf(encoded, i)]).toEqual(expected);
      });
    }),
    { numRuns: 30 },
  );
  await rows.release();
});
