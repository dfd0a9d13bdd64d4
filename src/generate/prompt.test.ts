import { expect, test } from 'vitest';
import { queriesIn } from './prompt.js';

test.each([
  ['lines', 'what is a?\nwhy b?\n'],
  ['numbers and a line before', 'Sure! Here are two queries:\n\n1. what is a?\n2) "why b?"'],
  ['bullets', '- what is a?\n* why b?'],
  ['Markdown', '1. **what is a?**\n2. why **b**?'],
  ['JSON', '["what is a?", "why b?"]'],
  ['JSON in a fence', '```json\n["what is a?", "why b?"]\n```'],
  ['an object of queries', '{"queries": ["what is a?", "why b?"]}'],
  ['objects', '[{"query": "what is a?"}, {"query": "why b?"}]'],
  ['JSON behind talk', 'Here is the JSON you asked for\n```json\n["what is a?", "why b?"]\n```\nEnjoy!'],
  ['JSON that does not end', '[\n  "what is a?",\n  "why b?",\n'],
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
  '<think>\nThe passage is about a. Queries could be',
])('no queries in an answer: %s', (answer) => {
  expect(queriesIn(answer)).toEqual([]);
});

test('queries that begin like talk', () => {
  const queries = ['sure foot sandals', 'here is what you need lyrics', 'sorry board game rules'];
  expect(queriesIn(queries.join('\n'))).toEqual(queries);
});

test('the last line of an answer that was cut off is no query', () => {
  expect(queriesIn('what is a?\nwhy is', { cut: true })).toEqual(['what is a?']);
  expect(queriesIn('["what is a?", "why', { cut: true })).toEqual([]);
  expect(queriesIn('["what is a?"]', { cut: true })).toEqual(['what is a?']);
});
