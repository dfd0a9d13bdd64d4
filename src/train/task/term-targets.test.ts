import { expect, test } from 'vitest';
import { analyzerFor } from '../../text/analyzers/index.js';
import { PieceWords } from '../../text/piece-words.js';
import { MINILM } from '../../text/tokenizer.fixture.js';
import { Tokenizer } from '../../text/tokenizer.js';
import { TermTargets } from './term-targets.js';

const tokenizer = await Tokenizer.load(MINILM);
const words = new PieceWords(tokenizer);
const targets = new TermTargets(words, analyzerFor('en'));
const textOf = async (text: string) => ({ ids: (await tokenizer.encodeBatch([text])).ids });
const termsOf = async (text: string) => targets.termsOf(await textOf(text));

test('a word is to weigh the share of queries that have it, by its stem; others and stop words weigh 0', async () => {
  const text = await textOf('The treatments of hyperparathyroidism are many.');
  const queries = [
    await termsOf('the treatment of hyperparathyroidism'),
    await termsOf('what of the hyperparathyroidism'),
  ];
  const made = targets.of(text, queries)!;
  const byWord = words.of(text.ids).map(({ text: word, first }) => [word, made.targets[first]]);
  expect(Object.fromEntries(byWord)).toEqual({
    the: 0,
    treatments: 0.5,
    of: 0,
    hyperparathyroidism: 1,
    are: 0,
    many: 0,
    '.': 0,
  });
  // Asked are the tokens that words begin with, and no others.
  expect(made.asked.reduce((sum, one) => sum + one, 0)).toBe(7);
  expect(made.asked[0] + made.asked[text.ids.length - 1]).toBe(0);
});

test('a passage that shares no word with its queries teaches nothing', async () => {
  expect(targets.of(await textOf('the pain'), [await termsOf('the relief')])).toBeUndefined();
});
