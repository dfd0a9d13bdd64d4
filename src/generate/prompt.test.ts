import { expect, test } from 'vitest';
import { queriesIn } from './prompt.js';

test.each([
  ['lines', 'what is a?\nwhy b?\n'],
  ['numbers and a line before', 'Sure! Here are two queries:\n\n1. what is a?\n2) "why b?"'],
  ['bullets', '- what is a?\n* why b?'],
  ['JSON', '["what is a?", "why b?"]'],
  ['JSON in a fence', '```json\n["what is a?", "why b?"]\n```'],
  ['an object of queries', '{"queries": ["what is a?", "why b?"]}'],
  ['objects', '[{"query": "what is a?"}, {"query": "why b?"}]'],
  ['thoughts before', '<think>\nThe passage is about a.\n</think>\n\nwhat is a?\nwhy b?'],
])('queries in an answer: %s', (_, answer) => {
  expect(queriesIn(answer)).toEqual(['what is a?', 'why b?']);
});

test.each([
  "I'm sorry, I cannot help with that.",
  'I can’t write queries for this.',
  'Sorry, no.',
  '{}',
  '42',
  '```\n```',
])('no queries in an answer: %s', (answer) => {
  expect(queriesIn(answer)).toEqual([]);
});

test('queries that begin like talk', () => {
  const queries = ['sure foot sandals', 'here is what you need lyrics', 'sorry board game rules'];
  expect(queriesIn(queries.join('\n'))).toEqual(queries);
});
