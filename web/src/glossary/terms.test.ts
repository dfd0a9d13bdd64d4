import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { GLOSSARY, termOf, termOfMeasure } from './terms.js';

test('every term has a name of its own, and measures lead to theirs', () => {
  const ids = GLOSSARY.flatMap(({ terms }) => terms.map(({ id }) => id));
  expect(new Set(ids).size).toBe(ids.length);
  const named = ['RR@10', 'nDCG@10', 'R@1000', 'P@5', 'AP', 'Success@1'].map(termOfMeasure);
  expect(named).toEqual(['rr', 'ndcg', 'recall', 'precision', 'map', 'success']);
  for (const id of named) expect(termOf(id!)).toBeDefined();
  expect(termOfMeasure('seconds')).toBeUndefined();
});

test('docs/glossary.md is this list (vitest -u writes it)', async () => {
  const parts = GLOSSARY.map(({ title, terms }) => {
    const lines = terms.map(({ name, text }) => `- **${name}**: ${text}`);
    return `## ${title}\n\n${lines.join('\n')}\n`;
  });
  const page = `# Glossary

The words that these pages, the messages and the web UI use. The page *Glossary* of \`nearmiss serve\` has the same list, from which this page is
written (\`web/src/glossary/terms.ts\`).

${parts.join('\n')}`;
  await expect(page).toMatchFileSnapshot(resolve(import.meta.dirname, '../../../docs/glossary.md'));
});
